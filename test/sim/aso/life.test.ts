import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { configMaps, type KubeObject, secrets } from '../../../shared/kube/contract.ts';
import { doubled } from '../../../sim/aso/azure/ledger.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import {
  type AsoTestWorld,
  applyAll,
  asoWorld,
  cluster,
  connectNew,
  definitionNames,
  group,
  stagesOf,
  team,
} from './world.ts';

let world: AsoTestWorld;
afterEach(() => world.close());

const clusterId =
  '/subscriptions/11111111-1111-4111-8111-111111111111/resourceGroups/rg-a/providers/Microsoft.ContainerService/managedClusters/a';

describe('a whole request', () => {
  it.each<[string, Parameters<typeof stagesOf>[0]]>([
    [
      'with node auto-provisioning and the extension of Flux',
      { gitOps: { url: 'https://example.com/fleet', public: true } },
    ],
    ['with agent pools', { nodes: 'agentPools' }],
    [
      'with the Flux of the management cluster',
      { gitOps: { url: 'https://example.com/fleet', public: true, mode: 'remote' } },
    ],
    ['with federated credentials', { identity: { federatedCredentials: [{ name: 'one', serviceAccount: 'a/b' }] } }],
  ])('becomes Ready at once %s', async (_, spec) => {
    world = await asoWorld({ settings: instantly });
    const stages = stagesOf(spec);
    // In the order of the stages: who asks for a configuration of Flux before its extension is there waits for ever.
    for (const stage of stages) {
      await applyAll(world, [stage]);
      await world.aso.settle();
    }
    for (const { manifests, cluster: where } of stages) {
      if (where !== 'management') continue;
      for (const { kind, metadata } of manifests) {
        const reason = kind === 'Kustomization' ? 'ReconciliationSucceeded' : 'Succeeded';
        expect([kind, await world.standing(kind, metadata.name)]).toEqual([kind, `True ${reason}`]);
      }
    }
    expect(doubled(world.aso.azure.ledger())).toEqual([]);
  });
});

describe('a cluster', () => {
  it('takes its time, and shows nothing of itself until the PUT has ended', async () => {
    world = await asoWorld();
    await world.apply(group());
    await world.apply(cluster());
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Warning WaitingForOwner');
    await world.pass(10, 1);
    expect(await world.standing('ResourceGroup', 'rg-a')).toBe('True Succeeded');
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Info Reconciling');
    const begun = await world.get('ManagedCluster', 'a');
    expect(begun?.metadata.annotations).toMatchObject({
      'serviceoperator.azure.com/resource-id': clusterId,
      'serviceoperator.azure.com/poller-resume-token': expect.any(String),
    });
    expect(begun?.metadata.finalizers).toEqual(['serviceoperator.azure.com/finalizer']);
    expect(Object.keys(begun?.status ?? {})).toEqual(['conditions']);
    await world.pass(400, 30);
    expect(await world.standing('ManagedCluster', 'a')).toBe('True Succeeded');
    const ready = await world.get('ManagedCluster', 'a');
    expect(ready?.metadata.annotations).not.toHaveProperty('serviceoperator.azure.com/poller-resume-token');
    expect(ready?.status).toMatchObject({
      id: clusterId,
      provisioningState: 'Succeeded',
      currentKubernetesVersion: '1.35.4',
      fqdn: expect.stringMatching(/^a-[0-9a-f]{8}\.hcp\.westeurope\.azmk8s\.io$/),
    });
  });

  it('exports its kubeconfig and its issuer before it is Ready, and has nodes and the kinds of node auto-provisioning later', async () => {
    world = await asoWorld({ settings: { ...instantly, provisioningSeconds: 20, nodesSeconds: 5 } });
    await world.apply(group());
    await world.apply(cluster());
    await world.aso.settle();
    const secret = mustBe(
      await world.api.get<KubeObject & { data: Record<string, string> }>(secrets, {
        name: 'a-kubeconfig',
        namespace: team,
      }),
    );
    const server = world.aso.clusters.get(clusterId)?.server.url ?? 'none';
    expect(Buffer.from(secret.data.value ?? '', 'base64').toString()).toContain(server);
    expect(secret.metadata.ownerReferences).toMatchObject([{ kind: 'ManagedCluster', name: 'a' }]);
    const issuer = mustBe(
      await world.api.get<KubeObject & { data: Record<string, string> }>(configMaps, {
        name: 'a-oidc',
        namespace: team,
      }),
    );
    expect(issuer.data.issuer).toMatch(/^https:\/\/westeurope\.oic\.prod-aks\.azure\.com\//);

    const there = connectNew(world, clusterId);
    const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
    expect(mustBe(await there.list(nodes)).items).toEqual([]);
    await world.pass(6);
    expect(mustBe(await there.list(nodes)).items).toHaveLength(2);
    expect(await definitionNames(there)).toEqual([]);
    await world.pass(20);
    expect(await definitionNames(there)).toContain('nodepools.karpenter.sh');

    const nodeClass = {
      group: 'karpenter.azure.com',
      version: 'v1beta1',
      plural: 'aksnodeclasses',
      kind: 'AKSNodeClass',
      namespaced: false,
    };
    const nodePool = { group: 'karpenter.sh', version: 'v1', plural: 'nodepools', kind: 'NodePool', namespaced: false };
    const [classManifest, poolManifest] = stagesOf()
      .filter((one) => one.cluster === 'new')
      .flatMap((one) => one.manifests);
    const readiness = async () => {
      const { status } = mustBe(
        await there.get<KubeObject & { status?: { conditions: { type: string; status: string }[] } }>(nodePool, {
          name: 'web-nodepool',
        }),
      );
      return status?.conditions.find(({ type }) => type === 'Ready')?.status;
    };
    mustBe(await there.apply(nodePool, poolManifest as never));
    await world.aso.settle();
    expect(await readiness()).toBe('False');
    mustBe(await there.apply(nodeClass, classManifest as never));
    await world.aso.settle();
    expect(await readiness()).toBe('True');
    there.close();
  });

  it('goes with its resource group, and takes its API server, its Secret and its nodes along', async () => {
    world = await asoWorld({ settings: instantly });
    await applyAll(world, stagesOf());
    await world.aso.settle();
    expect(world.aso.clusters.all()).toHaveLength(1);
    await world.remove('ResourceGroup', 'rg-web');
    await world.aso.settle();
    for (const [kind, name] of [
      ['ResourceGroup', 'rg-web'],
      ['ManagedCluster', 'web'],
      ['UserAssignedIdentity', 'web-identity'],
    ] as const) {
      expect([kind, await world.standing(kind, name)]).toEqual([kind, 'not-found']);
    }
    expect((await world.api.get(secrets, { name: 'web-kubeconfig', namespace: team })).ok).toBe(false);
    expect(world.aso.azure.living()).toEqual([]);
    expect(world.aso.clusters.all()).toEqual([]);
  });

  it('survives a restart of the stand-in, on the same port', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'poolwright-aso-'));
    world = await asoWorld({ settings: instantly, directory });
    await world.apply(group());
    await world.apply(cluster());
    await world.aso.settle();
    const before = world.aso.clusters.get(clusterId)?.server;
    await world.restart();
    const after = world.aso.clusters.get(clusterId)?.server;
    expect([after?.url, after?.kubeSystemUid]).toEqual([before?.url, before?.kubeSystemUid]);
    await world.aso.settle();
    expect(world.aso.azure.get(clusterId)?.puts).toBe(1);
    await world.restart({ settings: instantly });
    rmSync(directory, { recursive: true, force: true });
  });
});
