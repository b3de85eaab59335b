/** The end of a claim: drain in order, budgets, grace, other people's finalizers. */
import { describe, expect, it } from 'vitest';
import { type KubeObject, pods, type Resource } from '../../shared/cluster/contract.ts';
import type { Json } from '../../shared/json.ts';
import { only, useWorld } from './use-world.ts';
import type { TestWorld } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };
const budgets: Resource = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
type Pod = KubeObject & { spec?: { nodeName?: string } };

async function readyWorld(more: { [key: string]: Json } = {}): Promise<TestWorld & { node: string }> {
  const world = await open();
  await world.createClaim('one', { ...oneType, ...more });
  await world.settle();
  const [node] = await world.nodes();
  return { ...world, node: node!.metadata.name };
}

async function addPod(world: TestWorld & { node: string }, name: string, more: { [key: string]: Json } = {}) {
  const { spec = {}, metadata = {}, phase = 'Running' } = more as { [key: string]: { [key: string]: Json } };
  const created = await world.api.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...metadata },
    spec: { nodeName: world.node, containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  if (!created.ok) throw new Error(created.error.message);
  const ref = { name, namespace: 'default' };
  await world.api.mergePatch(
    pods,
    ref,
    { status: { phase, conditions: [{ type: 'Ready', status: 'True' }] } },
    { subresource: 'status' },
  );
}

const podNames = async ({ api }: TestWorld): Promise<string[]> => {
  const list = await api.list<Pod>(pods);
  return list.ok ? list.value.items.map(({ metadata }) => metadata.name).sort() : [];
};

const daemon = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd-uid' }] };
const critical = { priorityClassName: 'system-node-critical' };

describe('drain', () => {
  it('keeps new pods away and evicts in four groups, one after the other', async () => {
    const world = await readyWorld();
    // Held up one by one, so that the order can be seen.
    const hold = (name: string) => ({ finalizers: [`example.com/${name}`] });
    await addPod(world, 'plain', { metadata: hold('plain') });
    await addPod(world, 'plain-daemon', { metadata: { ...daemon, ...hold('plain-daemon') } });
    await addPod(world, 'critical', { spec: critical, metadata: hold('critical') });
    await addPod(world, 'critical-daemon', { spec: critical, metadata: { ...daemon, ...hold('critical-daemon') } });
    await world.deleteClaim('one');
    const evicted: string[] = [];
    for (const expected of ['plain', 'plain-daemon', 'critical', 'critical-daemon']) {
      await world.pass(5, 5);
      const list = await world.api.list<Pod>(pods);
      const leaving = list.ok ? list.value.items.filter((pod) => pod.metadata.deletionTimestamp) : [];
      expect(leaving.map(({ metadata }) => metadata.name)).toEqual([expected]);
      evicted.push(expected);
      const ref = { name: expected, namespace: 'default' };
      await world.api.mergePatch(pods, ref, { metadata: { finalizers: [] } });
      // The simulated API keeps a terminating pod for its grace; its kubelet would end it now.
      await world.api.delete(pods, ref, { gracePeriodSeconds: 0 });
    }
    const [node] = await world.nodes();
    expect(node?.spec?.taints?.map(({ key }) => key)).toContain('karpenter.sh/disrupted');
    expect(node?.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers']).toBe('karpenter');
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it('leaves alone who tolerates it, mirror pods and what has ended, and does not wait for them', async () => {
    const world = await readyWorld();
    await addPod(world, 'tolerates', {
      spec: { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] },
    });
    await addPod(world, 'mirror', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
    await addPod(world, 'ended', { phase: 'Succeeded' });
    await world.deleteClaim('one');
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(await podNames(world)).toEqual(['ended', 'mirror', 'tolerates']);
  });

  it('does not wait for a pod that is stuck terminating for more than a minute', async () => {
    const world = await readyWorld();
    await addPod(world, 'stuck', {
      metadata: { finalizers: ['example.com/never'] },
      spec: { terminationGracePeriodSeconds: 0 },
    });
    await world.api.delete(pods, { name: 'stuck', namespace: 'default' }, {});
    await world.deleteClaim('one');
    await world.pass(30, 10);
    expect(await world.claim('one')).toBeDefined();
    await world.pass(120, 10);
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it('waits for a disruption budget, says so, and goes on when it allows', async () => {
    const world = await readyWorld();
    await addPod(world, 'guarded', {
      metadata: { labels: { app: 'guarded' } },
      spec: { terminationGracePeriodSeconds: 0 },
    });
    const status = (disruptionsAllowed: number) => ({
      status: { disruptionsAllowed, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
    const ref = { name: 'guard', namespace: 'default' };
    await world.api.create(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: ref,
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    });
    await world.api.mergePatch(budgets, ref, status(0), { subresource: 'status' });
    const claim = await world.claim('one');
    await world.deleteClaim('one');
    await world.pass(600, 60);
    expect(await podNames(world)).toEqual(['guarded']);
    expect(world.cloud.living).toBe(1);
    const told = (await world.eventsOf('one')).find(({ reason }) => reason === 'Draining');
    expect(told?.message).toContain('default/guarded');
    // A drain that lasts must not write an Event every second.
    expect(told?.count ?? 0).toBeLessThan(30);
    expect((await world.decisionsOf(claim!)).at(-1)?.text).toContain('default/guarded');
    await world.api.mergePatch(budgets, ref, status(1), { subresource: 'status' });
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it('ends with the termination grace period, which the claim announces', async () => {
    const world = await readyWorld({ terminationGracePeriod: '2m' });
    await addPod(world, 'stubborn', { metadata: { finalizers: ['example.com/never'] } });
    await world.deleteClaim('one');
    const deletedAt = Date.parse((await world.claim('one'))!.metadata.deletionTimestamp!);
    await world.pass(60, 10);
    const announced = (await world.claim('one'))?.metadata.annotations?.[
      'karpenter.sh/nodeclaim-termination-timestamp'
    ];
    expect(Date.parse(announced ?? '')).toBe(deletedAt + 120_000);
    expect(world.cloud.living).toBe(1);
    await world.pass(90, 10);
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });
});

it("a claim with somebody else's finalizer loses its machine and our finalizer, and no more", async () => {
  const world = await readyWorld({ metadata: { finalizers: ['example.com/theirs'] } });
  await world.deleteClaim('one');
  await world.settle();
  const left = await world.claim('one');
  expect(left?.metadata.finalizers).toEqual(['example.com/theirs']);
  expect(world.cloud.living).toBe(0);
  expect(await world.nodes()).toEqual([]);
  const version = left?.metadata.resourceVersion;
  await world.settle();
  await world.collectGarbage();
  expect((await world.claim('one'))?.metadata.resourceVersion).toBe(version);
  await world.patchClaim('one', { metadata: { finalizers: [] } });
  expect(await world.claim('one')).toBeUndefined();
});

it('a claim deleted together with its node class in mid-launch goes at once', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  let begun = false;
  world.engine.beforeStep = async (_, { activity }) => {
    await world.cloud.settle();
    if (activity !== 'beginCreate' || begun) return;
    begun = true;
    await world.api.delete(world.nodeClasses, { name: 'default' }, {});
    await world.patchClaim('one', { metadata: { finalizers: ['karpenter.sh/termination'] } });
    await world.deleteClaim('one');
    // Long enough that no cached node class answers.
    world.clock.advance(10_000);
  };
  await world.pass(40);
  expect(begun).toBe(true);
  expect(await world.claim('one')).toBeUndefined();
  expect(world.cloud.ledger()).toEqual([]);
});

it('a delete that fails is tried until the machine is gone', async () => {
  const world = await readyWorld();
  await world.cloud.setFaults([
    { on: 'delete', count: 3, do: { kind: 'error', status: 500 } },
    { on: 'delete', count: 1, do: { kind: 'throttle', retryAfterSeconds: 20 } },
    { on: 'delete', count: 1, do: { kind: 'unauthorised' } },
  ]);
  await world.deleteClaim('one');
  await world.settle();
  expect(await world.claim('one')).toBeUndefined();
  expect(world.cloud.living).toBe(0);
});
