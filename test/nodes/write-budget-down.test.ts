/**
 * What a claim costs the API server on its way down, request by request: a step that reads or writes once more has to say why.
 * The deletion itself is the user's.
 */
import { expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { ok } from '../../shared/base/result.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import { countRequests, described } from './counting-api.ts';
import { addPod, readyWorld } from './drain-world.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName, conditionOf, type TestWorld } from './world.ts';

const open = useWorld();

/** The watching source tells of the deletion; there is no resync. */
async function deleteAndTell(world: TestWorld, name = 'one'): Promise<void> {
  await world.deleteClaim(name);
  const { uid } = (await world.claim(name))!.metadata;
  const data = { cluster: clusterName, name, uid, deleting: true, observedBy: 'bridge' as const };
  const attributes = { id: 'x', time: world.clock.now(), source: '/test', subject: name };
  await world.deliver(makeEvent('dev.poolwright.claim.changed.v1', data, attributes));
}

/** The kubelet reports its node's state all the while, as kubelets do. */
async function live(world: TestWorld, seconds: number): Promise<void> {
  const before = world.engine.beforeStep;
  let beat = 0;
  world.engine.beforeStep = async (...step) => {
    await before?.(...step);
    for (const { metadata } of await world.nodes()) {
      await world.patchNode(metadata.name, { metadata: { annotations: { 'example.com/beat': `${beat++}` } } });
    }
  };
  await world.engine.runUntil(world.clock.now() + seconds * 1000);
}

/** A provider that can be pointed elsewhere, as those of real clouds can: its attempts name their place. */
const placed = (inner: Provider): Provider => Object.assign(inner, { place: async () => ok('here') });

it.each([
  ['', {}],
  [' of a provider with a place', { decorate: placed }],
])('a claim with an empty node%s is three writes and six reads, without a conflict', async (_of, options) => {
  const world = await readyWorld(open, {}, options);
  const requests = countRequests(world.clusterServices);
  await deleteAndTell(world);
  await live(world, 10);
  expect(await world.claim('one')).toBeUndefined();
  expect(described(requests)).toEqual([
    // The watcher, for the first step of the workflow that it starts.
    'get NodeClaim',
    // Drain: an idle node loses our finalizer in the write that gives it taint and label.
    'get Node',
    'list Pod',
    'list VolumeAttachment',
    'patch Node',
    // After the taint, so that nothing comes that this list does not show.
    'list Pod',
    // Rule 6: right before the delete; and for the last step.
    'get NodeClaim',
    // The Node, and the claim's finalizer.
    'delete Node',
    'patch NodeClaim',
  ]);
  expect(requests.filter(({ answer }) => answer !== 'ok')).toEqual([]);
});

it('a machine that takes its time to go costs one write more, and the claim says so', async () => {
  const world = await readyWorld(open, {}, { cloud: { deleteSeconds: 60 } });
  const requests = countRequests(world.clusterServices);
  await deleteAndTell(world);
  await live(world, 30);
  const claim = await world.claim('one');
  expect(conditionOf(claim, 'InstanceTerminating')?.status).toBe('True');
  expect(conditionOf(claim, 'Drained')?.status).toBe('True');
  expect(conditionOf(claim, 'VolumesDetached')?.status).toBe('True');
  await live(world, 60);
  expect(await world.claim('one')).toBeUndefined();
  const writes = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  expect(described(writes)).toEqual(['patch Node', 'patch NodeClaim', 'delete Node', 'patch NodeClaim']);
  expect(requests.filter(({ answer }) => answer !== 'ok')).toEqual([]);
});

it('many claims that go at once share the list of volumes', async () => {
  const world = await open();
  const names = Array.from({ length: 10 }, (_, index) => `claim-${index}`);
  for (const name of names) await world.createClaim(name, { requirements: only(['general-small']) });
  await world.settle();
  const requests = countRequests(world.clusterServices);
  for (const name of names) await deleteAndTell(world, name);
  await world.engine.runUntil(world.clock.now() + 10_000);
  expect(await world.claims()).toEqual([]);
  expect(described(requests).filter((one) => one === 'list VolumeAttachment')).toHaveLength(1);
  const writes = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  expect(writes).toHaveLength(names.length * 3);
});

it('a node with pods is listed until they are gone, and nothing else is written for it', async () => {
  const world = await readyWorld(open);
  await addPod(world, 'web', { spec: { terminationGracePeriodSeconds: 0 } });
  const requests = countRequests(world.clusterServices);
  await deleteAndTell(world);
  await live(world, 10);
  expect(await world.claim('one')).toBeUndefined();
  const writes = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  expect(described(writes)).toEqual(['patch Node', 'evict Pod', 'patch Node', 'delete Node', 'patch NodeClaim']);
});

it('a claim that is deleted before its node is registered has nothing to drain', async () => {
  const world = await open({ cloud: { bootSeconds: 20 } });
  await world.createClaim('one', { requirements: only(['general-small']) });
  await world.resync();
  await world.engine.runUntil(world.clock.now() + 19_000);
  world.clock.advance(1_000);
  await world.cloud.settle();
  const [node] = await world.nodes();
  expect(node?.spec?.taints?.map(({ key }) => key)).toContain('karpenter.sh/unregistered');
  await world.deliver(world.nodeEvent(node!));
  const requests = countRequests(world.clusterServices);
  await deleteAndTell(world);
  await world.engine.runUntil(world.clock.now() + 60_000);
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(world.cloud.living).toBe(0);
  expect(described(requests)).not.toContain('list Pod');
  const writes = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  expect(described(writes)).toEqual(['delete Node', 'patch NodeClaim']);
});
