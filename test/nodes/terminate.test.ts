/** The end of a claim: drain in order, other people's finalizers, deletes that fail. */
import { describe, expect, it } from 'vitest';
import { pods } from '../../shared/kube/contract.ts';
import { addPod, critical, daemon, podNames, podsOf, readyWorld } from './drain-world.ts';
import { only, useWorld } from './use-world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

describe('drain', () => {
  it('keeps new pods away and evicts in four groups, one after the other', async () => {
    const world = await readyWorld(open);
    // Held up one by one, so that the order can be seen.
    const hold = (name: string) => ({ finalizers: [`example.com/${name}`] });
    await addPod(world, 'plain', { metadata: hold('plain') });
    await addPod(world, 'plain-daemon', { metadata: { ...daemon, ...hold('plain-daemon') } });
    await addPod(world, 'critical', { spec: critical, metadata: hold('critical') });
    await addPod(world, 'critical-daemon', { spec: critical, metadata: { ...daemon, ...hold('critical-daemon') } });
    await world.deleteClaim('one');
    for (const expected of ['plain', 'plain-daemon', 'critical', 'critical-daemon']) {
      await world.pass(5, 5);
      const leaving = (await podsOf(world)).filter((pod) => pod.metadata.deletionTimestamp);
      expect(leaving.map(({ metadata }) => metadata.name)).toEqual([expected]);
      const ref = { name: expected, namespace: 'default' };
      await world.api.mergePatch(pods, ref, { metadata: { finalizers: [] } });
    }
    const [node] = await world.nodes();
    expect(node?.spec?.taints?.map(({ key }) => key)).toContain('karpenter.sh/disrupted');
    expect(node?.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers']).toBe('karpenter');
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it('leaves alone who tolerates it, mirror pods and what has ended, and does not wait for them', async () => {
    const world = await readyWorld(open);
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
    const world = await readyWorld(open);
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
});

it("a claim with somebody else's finalizer loses its machine and our finalizer, and no more", async () => {
  const world = await readyWorld(open, { metadata: { finalizers: ['example.com/theirs'] } });
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
  const world = await readyWorld(open);
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
