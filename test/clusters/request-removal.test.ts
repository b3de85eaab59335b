/** What the removal of a request must not lose, and what it must not take with it. */
import { afterEach, expect, it } from 'vitest';
import { mustBe } from '../cli/cluster-world.ts';
import { cluster } from '../sim/aso/world.ts';
import { type RequestWorld, requestWorld } from './request-world.ts';

let world: RequestWorld;
afterEach(() => world.close());

const inAzure = (end: string): boolean => world.aso.aso.azure.living().some(({ id }) => id.endsWith(`/${end}`));

const quotaOnly = {
  on: 'put',
  objects: 'ManagedCluster',
  name: 'web',
  do: { kind: 'operation-fails', code: 'QuotaExceeded', message: 'no cores' },
} as const;

const refusedDelete = [
  quotaOnly,
  {
    on: 'delete',
    objects: 'ManagedCluster',
    do: { kind: 'refused', status: 403, code: 'AuthorizationFailed', message: 'the role is gone' },
  },
] as const;

it('never gives up a cluster that failed while it was made, in a group that stays', async () => {
  world = await requestWorld();
  const { aso } = world.aso;
  aso.setFaults([quotaOnly]);
  await world.create();
  await world.until(() => inAzure('managedClusters/web'));
  await world.pass(600, 30);
  aso.setFaults([...refusedDelete]);
  await world.aso.apply(cluster('zzz', { owner: { name: 'rg-web' } }));
  await world.until(() => inAzure('managedClusters/zzz'), 1200);
  await world.delete();
  await world.pass(3600, 60);
  expect(inAzure('managedClusters/web')).toBe(true);
  expect(await world.get()).toBeDefined();

  aso.setFaults([]);
  await world.until(async () => (await world.get()) === undefined);
  expect(['web', 'zzz'].map((name) => inAzure(`managedClusters/${name}`))).toEqual([false, true]);
});

it('keeps a group in which another namespace has a cluster', async () => {
  world = await requestWorld();
  await world.create();
  await world.until(async () => (await world.ready()) === 'True Ready');
  const group = world.aso.aso.azure.living().find(({ id }) => id.endsWith('/rg-web'))?.id ?? '';
  const theirs = cluster('theirs', { owner: { armId: group } });
  const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
  await world.aso.api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } });
  await world.aso.apply({ ...theirs, metadata: { ...(theirs.metadata as object), namespace: 'team-b' } });
  await world.until(() => inAzure('managedClusters/theirs'), 1200);
  await world.delete();
  await world.until(async () => (await world.get()) === undefined);
  expect(['managedClusters/theirs', 'rg-web', 'managedClusters/web'].map(inAzure)).toEqual([true, true, false]);
});

it('gives up what Azure refuses to delete and never had', async () => {
  world = await requestWorld();
  const { aso } = world.aso;
  const refused = { kind: 'refused', status: 400, code: 'InvalidParameter', message: 'the name is wrong' } as const;
  aso.setFaults([
    { on: 'put', objects: 'ManagedCluster', do: refused },
    { on: 'delete', objects: 'ManagedCluster', do: refused },
  ]);
  await world.create();
  await world.until(async () => (await world.ready()).startsWith('False Invalid'));
  await world.delete();
  await world.until(async () => (await world.get()) === undefined);
  expect(aso.azure.living()).toEqual([]);
});

/** A claim of a machine at some provider, as the host holds it. */
async function claimIn(world_: RequestWorld, providerID: string): Promise<() => Promise<void>> {
  const [cluster] = world_.aso.aso.clusters.all();
  const store = cluster!.server.store;
  const kind = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' };
  const finalizers = ['karpenter.sh/termination'];
  const spec = { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'a' }, requirements: [] };
  await store.create(kind, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'a', finalizers },
    spec,
  } as never);
  await store.patch({ ...kind, name: 'a' }, 'merge', { status: { providerID } } as never, { subresource: 'status' });
  return async () => {
    await store.patch({ ...kind, name: 'a' }, 'merge', { metadata: { finalizers: [] } } as never);
  };
}

async function servedCluster(): Promise<void> {
  world = await requestWorld();
  await world.create({ nodes: 'poolwright' });
  await world.until(async () => (await world.ready()) === 'True Ready');
}
const isGone = async (): Promise<boolean> => (await world.get()) === undefined;
const registered = async () => mustBe(await world.services.register.list()).length;

it.each([false, true])('deletes the machines of a cluster before the cluster; the state is lost: %s', async (lost) => {
  await servedCluster();
  const finish = await claimIn(world, 'aws:///eu-west-1a/i-1');
  if (lost) world.loseState();
  await world.delete();
  await world.pass(300, 30);
  expect([inAzure('managedClusters/web'), await registered()]).toEqual([true, 1]);
  const deleting = (await world.get())?.status?.conditions?.find(({ type }) => type === 'Deleting');
  expect(deleting?.message).toContain('the nodes of the cluster to be gone: a');
  await finish();
  await world.until(isGone);
  expect([world.aso.aso.azure.living(), await registered()]).toEqual([[], 0]);
});

it('does not wait for what ends with the cluster', async () => {
  await servedCluster();
  const group = (await world.get())?.status?.cluster?.nodeResourceGroup ?? '';
  await claimIn(world, `azure:///subscriptions/s/resourceGroups/${group}/providers/x/virtualMachineScaleSets/y/0`);
  await world.delete();
  await world.until(isGone, 300);
});

it('gives up nodes that do not go, and says so', async () => {
  await servedCluster();
  await claimIn(world, 'aws:///eu-west-1a/i-1');
  await world.delete();
  await world.until(isGone, 1800);
  expect(world.log.lines.map(({ event }) => event)).toContain('cluster-request.nodes.left');
  expect(world.aso.aso.azure.living()).toEqual([]);
});

it('leaves the machines of a cluster that stays by its guard', async () => {
  await servedCluster();
  await world.change({ deleteGuard: true });
  await world.until(async () => (await world.ready()) === 'True Ready');
  await claimIn(world, 'aws:///eu-west-1a/i-1');
  await world.delete();
  await world.until(isGone, 300);
  expect(inAzure('managedClusters/web')).toBe(true);
});
