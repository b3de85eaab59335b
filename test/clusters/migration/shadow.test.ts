/** What a migration says beforehand: the request that a live cluster amounts to, what would change, and why it is not taken over. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../shared/base/json.ts';
import { type Assessment, assess, blockers, isEquivalent } from '../../../shared/clusters/migration/assess.ts';
import { deployments, namespaces } from '../../../shared/kube/contract.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { asJson, resourceOf, team } from '../../sim/aso/world.ts';
import { ofInstance, type PlatformOptions, platformKind } from '../../stand-ins/kro/objects.ts';
import { type MigrationWorld, migrationWorld, signal } from './world.ts';

async function world(options?: PlatformOptions, spec?: JsonObject): Promise<MigrationWorld> {
  const made = await migrationWorld(options, spec);
  onTestFinished(() => made.close());
  return made;
}

const assessed = async (made: MigrationWorld, acceptChanges = false): Promise<Assessment> =>
  mustBe(await assess(made.parts(), await made.instance(), { acceptChanges }, signal));
const codes = (assessment: Assessment): string[] => [...new Set(blockers(assessment).map(({ code }) => code))];

describe('the request of a live cluster', () => {
  it('is read from its objects, and amounts to the same', async () => {
    const made = await world(
      { cluster: { sku: { name: 'Base', tier: 'Standard' } } },
      { nodePoolType: 'memory-optimized' },
    );

    const found = await assessed(made);

    expect(blockers(found)).toEqual([]);
    expect(isEquivalent(found)).toBe(true);
    expect(found.request).toMatchObject({
      metadata: { name: 'web', namespace: team },
      spec: {
        location: 'westeurope',
        kubernetesVersion: '1.35',
        tier: 'Standard',
        nodePool: { type: 'memory-optimized' },
        systemPool: { vmSize: 'Standard_D4s_v5', count: 2 },
        identity: { type: 'SystemAssigned' },
        addOns: { workloadIdentity: false },
        tags: { 'cost-center': 'platform' },
      },
    });
    expect(found.objects).toMatchObject([
      { object: 'ResourceGroup team-a/rg-web', action: 'take-over' },
      { object: 'ManagedCluster team-a/web', action: 'take-over' },
    ]);
    expect(found.inNewCluster).toEqual(['AKSNodeClass/web-nodeclass', 'NodePool/web-nodepool']);
    expect(await made.request()).toBeUndefined();
  });

  it('keeps what it has no word for', async () => {
    const made = await world({ cluster: { windowsProfile: { adminUsername: 'azure' } } });

    const found = await assessed(made);

    expect(isEquivalent(found)).toBe(true);
    expect(found.objects.find(({ object }) => object.startsWith('ManagedCluster'))?.kept).toEqual(['windowsProfile']);
  });

  it.each<[string, JsonObject, string, string]>([
    [
      'a list that is replaced as a whole',
      { agentPoolProfiles: [{ name: 'systempool', mode: 'System', count: 2, vmSize: 'Standard_D4s_v5', maxPods: 50 }] },
      'agentPoolProfiles[systempool].maxPods',
      'new-cluster',
    ],
    [
      'another name of the system pool',
      { agentPoolProfiles: [{ name: 'nodepool1', mode: 'System', count: 2, vmSize: 'Standard_D4s_v5' }] },
      'agentPoolProfiles[nodepool1]',
      'new-cluster',
    ],
    [
      'pools that AKS adds',
      { nodeProvisioningProfile: { mode: 'Auto' } },
      'nodeProvisioningProfile.defaultNodePools',
      'in-place',
    ],
  ])('names what would change: %s', async (_, cluster, field, kind) => {
    const made = await world({ cluster });

    const found = await assessed(made);

    expect(codes(found)).toEqual(['MigrationNotEquivalent']);
    const differences = found.objects.flatMap((one) => one.differences);
    expect(differences).toContainEqual(expect.objectContaining({ field, class: kind }));
    expect(codes(await assessed(made, true))).toEqual(kind === 'in-place' ? [] : ['MigrationNotEquivalent']);
  });
});

describe('an instance that cannot be taken over now', () => {
  const patch = async (made: MigrationWorld, kind: string, name: string, change: JsonObject): Promise<void> =>
    void mustBe(await made.api.mergePatch(resourceOf(kind), { name, namespace: team }, change, {}));

  it.each<[string, string, (made: MigrationWorld) => Promise<void>]>([
    [
      'KroInstanceNotActive',
      'is not ACTIVE',
      async ({ api }) =>
        void mustBe(
          await api.mergePatch(
            platformKind,
            { name: 'web', namespace: team },
            { metadata: {}, status: { state: 'FAILED' } },
            { subresource: 'status' },
          ),
        ),
    ],
    [
      'KroForeignFinalizer',
      'has the finalizer of somebody else',
      async ({ api }) => {
        const finalizers = ['kro.run/finalizer', 'example.com/hold'];
        mustBe(await api.mergePatch(platformKind, { name: 'web', namespace: team }, { metadata: { finalizers } }));
      },
    ],
    [
      'KroChildBusy',
      'has an object that Azure works on',
      (made) =>
        patch(made, 'ManagedCluster', 'web', {
          metadata: { annotations: { 'serviceoperator.azure.com/poller-resume-token': 'x' } },
        }),
    ],
    [
      'KroChildNotReady',
      'has an object that is not Ready',
      (made) => patch(made, 'ManagedCluster', 'web', { metadata: {}, spec: { kubernetesVersion: '1.36' } }),
    ],
    [
      'KroDeletesDefinitions',
      'is of a KRO that deletes definitions',
      async ({ api }) => {
        mustBe(await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kro-system' } }));
        mustBe(
          await api.create(
            deployments,
            asJson({
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: { name: 'kro', namespace: 'kro-system', labels: { 'app.kubernetes.io/name': 'kro' } },
              spec: {
                selector: { matchLabels: { app: 'kro' } },
                template: {
                  metadata: { labels: { app: 'kro' } },
                  spec: { containers: [{ name: 'kro', image: 'kro', args: ['--allow-crd-deletion=true'] }] },
                },
              },
            }),
          ),
        );
      },
    ],
  ])('%s: %s', async (code, _, spoil) => {
    const made = await world();
    await spoil(made);

    expect(codes(await assessed(made))).toContain(code);
    const before = made.clock.now();
    expect(await made.adopt()).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    expect(made.clock.now()).toBe(before);
    expect(await made.request()).toBeUndefined();
  });

  it('KroNamesDiffer: has objects with other names than those of a request', async () => {
    const made = await world({ groupName: `group-of-${ofInstance('spec.clusterName')}` });

    expect(codes(await assessed(made))).toContain('KroNamesDiffer');
  });
});
