/**
 * What gpu-provisioner promises to KAITO, by its own end-to-end scenarios: by the local host on a real API server, with the
 * real client before a stand-in for Azure.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { customResourceDefinitions, nodeClaims, nodes } from '../../shared/kube/contract.ts';
import { terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import { type Azure, startAzure } from '../../sim/azure/start.ts';
import { type KubeCluster, manifestsIn } from './cluster.ts';
import { type HostWorld, isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';
import { freshName } from './use-kube.ts';

const kube = useOwnKube();

const vmSize = 'Standard_NC12s_v3';
const kaitoClass = { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' };
const aksClass = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const workspace = { 'kaito.sh/workspace': 'falcon' };

interface AzureHostWorld extends HostWorld {
  azure: Azure;
  /** A claim as KAITO makes it. */
  kaitoClaim(
    name: string,
    nodeClassRef: Json,
    metadata?: { [key: string]: Json },
  ): ReturnType<HostWorld['createClaim']>;
}

async function azureHostWorld(cluster: KubeCluster): Promise<AzureHostWorld> {
  const { url, ca, token, cert, key } = cluster.access;
  const access = Object.fromEntries(
    Object.entries({ ca, token, cert, key }).filter(([, value]) => value !== undefined),
  );
  const azure = await startAzure({
    kubelet: { clusterUrl: url, ...access },
    clusters: [{ kind: 'aks', name: 'aks-with-hyphens' }],
    settings: { createSeconds: 0.2, deleteSeconds: 0.2, readySeconds: 0.1, retryAfterSeconds: 0.1 },
  });
  onTestFinished(() => azure.close());
  const [pools] = azure.clusters;
  const secretFile = join(tmpdir(), freshName('poolwright-secret'));
  writeFileSync(secretFile, azure.secret, { mode: 0o600 });
  onTestFinished(() => rmSync(secretFile));
  const aks = {
    type: 'aks',
    subscription: pools!.subscription,
    resourceGroup: pools!.resourceGroup,
    clusterName: pools!.name,
    location: pools!.location,
    tenant: azure.tenant,
    credential: { type: 'client-secret', clientId: azure.clientId, secretFile },
    cloud: { authorityHost: azure.authority, armEndpoint: azure.url, audience: 'https://management.azure.com' },
    certificateAuthority: azure.certificate,
    prices: false,
    // The waits of real life, shrunk: after a take-over nobody knows what the predecessor had in flight.
    writeSeconds: 3,
    latenessSeconds: 0,
    listLagSeconds: 0,
  };
  const world = await startHostWorld(cluster, { config: { providers: { aks } } });
  return {
    ...world,
    azure,
    kaitoClaim: (name, nodeClassRef, metadata = {}) =>
      world.createClaim(
        name,
        {
          nodeClassRef,
          requirements: [
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [vmSize] },
            { key: 'karpenter.sh/nodepool', operator: 'In', values: ['kaito'] },
          ],
          resources: { requests: { storage: '120Gi' } },
          taints: [{ key: 'sku', value: 'gpu', effect: 'NoSchedule' }],
        },
        metadata,
      ),
  };
}

const isReady = (world: HostWorld, name: string) => async (): Promise<boolean> =>
  isTrue(await world.claim(name), 'Ready');

async function untilNothingIsLeft(world: AzureHostWorld, name: string): Promise<void> {
  await world.until(async () => (await world.claim(name)) === undefined);
  await world.until(() => world.azure.living === 0);
  await world.until(async () => (await world.nodes()).length === 0);
}

describe("gpu-provisioner's scenarios", () => {
  it('claims of workspaces and RAG engines, and of KaitoNodeClass without labels, become nodes; others stay untouched', async () => {
    const world = await azureHostWorld(kube());
    await world.startHost();
    await world.kaitoClaim('theirs', aksClass);
    await world.kaitoClaim('wsone', aksClass, { labels: workspace });
    await world.kaitoClaim('ragone', aksClass, { labels: { 'kaito.sh/ragengine': 'rag' } });
    await world.kaitoClaim('plain', kaitoClass);
    const linux = { annotations: { 'kaito.sh/node-image-family': 'AzureLinux' }, labels: workspace };
    await world.kaitoClaim('linuxone', kaitoClass, linux);
    for (const name of ['wsone', 'ragone', 'plain', 'linuxone']) await world.until(isReady(world, name));

    const claim = await world.claim('wsone');
    const node = (await world.nodes()).find(({ metadata }) => metadata.name === claim?.status?.nodeName);
    expect(node?.spec?.providerID).toBe(claim?.status?.providerID);
    expect(node?.spec?.providerID).toMatch(/virtualMachineScaleSets\/aks-wsone-\d+-vmss\/virtualMachines\/0$/);
    const age = claim?.metadata.creationTimestamp.replaceAll(':', '-');
    expect(node?.metadata.labels).toMatchObject({
      'kaito.sh/workspace': 'falcon',
      'kaito.sh/machine-type': 'gpu',
      'kaito.sh/creation-timestamp': age,
      'karpenter.sh/nodepool': 'kaito',
      'node.kubernetes.io/instance-type': vmSize,
    });
    expect(node?.spec?.taints).toMatchObject([{ key: 'sku', value: 'gpu', effect: 'NoSchedule' }]);
    const pools = Object.fromEntries(world.azure.ledger().map((pool) => [pool.name, pool]));
    expect(Object.keys(pools).sort()).toEqual(['linuxone', 'plain', 'ragone', 'wsone']);
    const images = (await world.nodes()).map(({ metadata }) => metadata.labels?.['kubernetes.azure.com/os-sku']);
    expect(images.filter((image) => image === 'AzureLinux')).toHaveLength(1);
    expect(images.filter((image) => image === 'Ubuntu')).toHaveLength(3);

    const theirs = await world.claim('theirs');
    expect(theirs?.metadata.finalizers).toBeUndefined();
    expect(theirs?.metadata.annotations?.['poolwright.dev/attempt']).toBeUndefined();
    for (const name of ['theirs', 'wsone', 'ragone', 'plain', 'linuxone'])
      await world.api.delete(nodeClaims, { name }, {});
    for (const name of ['wsone', 'ragone', 'plain', 'linuxone'])
      await world.until(async () => (await world.claim(name)) === undefined);
    await untilNothingIsLeft(world, 'theirs');
    expect(world.azure.overlaps()).toEqual([]);
  });

  it('a Node that is deleted takes its claim and its pool with it', async () => {
    const world = await azureHostWorld(kube());
    await world.startHost();
    await world.kaitoClaim('wsone', kaitoClass, { labels: workspace });
    await world.until(isReady(world, 'wsone'));
    const [node] = await world.nodes();
    await world.api.delete(nodes, { name: node!.metadata.name }, {});
    await untilNothingIsLeft(world, 'wsone');
  });

  it('clusters need no definitions of the node classes: gpu-provisioner brought none', async () => {
    const definitions = ['kaitonodeclasses.kaito.sh', 'aksnodeclasses.karpenter.azure.com'];
    const world = await azureHostWorld(kube());
    for (const name of definitions) {
      await world.api.delete(customResourceDefinitions, { name }, {});
      await world.until(async () => !(await world.api.get(customResourceDefinitions, { name })).ok);
    }
    const all = manifestsIn(join(import.meta.dirname, '../../infra/kubernetes/crds'));
    onTestFinished(() => kube().apply(...all));

    await world.startHost();
    await world.kaitoClaim('plain', kaitoClass);
    await world.kaitoClaim('wsone', aksClass, { labels: workspace });
    for (const name of ['plain', 'wsone']) await world.until(isReady(world, name));

    for (const name of ['plain', 'wsone']) await world.api.delete(nodeClaims, { name }, {});
    await world.until(async () => (await world.claim('plain')) === undefined);
    await untilNothingIsLeft(world, 'wsone');
  });

  it('what gpu-provisioner had made goes on as it is, and goes with its claim', async () => {
    const world = await azureHostWorld(kube());
    const metadata = { finalizers: [terminationFinalizer], labels: workspace };
    const claim = await world.kaitoClaim('wsone', kaitoClass, metadata);
    const nodeLabels = {
      ...workspace,
      'karpenter.sh/nodepool': 'kaito',
      'kaito.sh/machine-type': 'gpu',
      'kaito.sh/creation-timestamp': claim.metadata.creationTimestamp.replaceAll(':', '-'),
    };
    world.azure.makeForeignPool('wsone', { body: { properties: { vmSize, nodeLabels } } });
    await world.until(async () => (await world.nodes()).some(({ spec }) => spec?.providerID !== undefined));
    const [node] = await world.nodes();
    const conditions = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
      ...{ type, status: 'True', reason: type, message: '' },
      lastTransitionTime: claim.metadata.creationTimestamp,
    }));
    const status = { providerID: node!.spec!.providerID!, nodeName: node!.metadata.name, conditions };
    await world.api.mergePatch(nodeClaims, { name: 'wsone' }, { status }, { subresource: 'status' });

    await world.startHost();
    const attempt = async () => (await world.claim('wsone'))?.metadata.annotations?.['poolwright.dev/attempt'];
    await world.until(async () => (await attempt()) !== undefined);
    expect(JSON.parse((await attempt()) ?? '{}')).toMatchObject({ provider: 'aks', attempt: 1, state: 'open' });
    expect(await isReady(world, 'wsone')()).toBe(true);
    expect(world.azure.ledger()).toHaveLength(1);
    expect(world.azure.calls()['pools.put']).toBeUndefined();

    await world.api.delete(nodeClaims, { name: 'wsone' }, {});
    await untilNothingIsLeft(world, 'wsone');
  });
});
