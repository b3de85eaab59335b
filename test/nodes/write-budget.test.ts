/**
 * What a claim costs the API server on its way up. The server is the bottleneck when a thousand claims come at once, so the
 * requests of an ordinary life are held here one by one: a step that reads or writes once more has to say why.
 */
import { expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import { countRequests, described } from './counting-api.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName, conditionStatus, type TestWorld, type TestWorldOptions } from './world.ts';

const open = useWorld();
/** A provider such as EC2, whose machines are created long before they join. */
function bootsLater(inner: Provider): Provider {
  const { joinsSoon: _, ...traits } = inner.traits;
  return Object.assign(inner, { traits });
}

const oneType = { requirements: only(['general-small']) };

/** The watching source tells of the new claim. */
function tellOfClaim(world: TestWorld, { metadata: { name, uid } }: StoredClaim) {
  const data = { cluster: clusterName, name, uid, deleting: false, observedBy: 'bridge' as const };
  const attributes = { id: 'x', time: world.clock.now(), source: '/test', subject: name };
  return world.deliver(makeEvent('dev.poolwright.claim.changed.v1', data, attributes));
}

/** Lets time pass without a resync, and tells of the node whenever it has changed, as the watching source does. */
async function live(world: TestWorld, seconds: number): Promise<void> {
  const end = world.clock.now() + seconds * 1000;
  let told = '';
  while (world.clock.now() < end) {
    await world.engine.runUntil(world.clock.now() + 1000);
    await world.cloud.settle();
    for (const node of await world.nodes()) {
      const event = world.nodeEvent(node);
      const news = JSON.stringify(event.data);
      if (news !== told) await world.deliver(event);
      told = news;
    }
  }
}

it('an ordinary claim is four writes and two reads: machine, and a node that is Ready when it joins', async () => {
  const world = await open({ cloud: { bootSeconds: 20, readySeconds: 0 } });
  const claim = await world.createClaim('one', oneType);
  const requests = countRequests(world.clusterServices);
  await tellOfClaim(world, claim);
  await live(world, 40);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  // One reading of a node class serves all claims for a few seconds.
  expect(described(requests.filter(({ kind }) => kind !== 'SimNodeClass'))).toEqual([
    'get NodeClaim',
    // The right to write: finalizer, attempt and labels.
    'patch NodeClaim',
    // The node has joined: labels, taints, owner, finalizer.
    'get Node',
    'patch Node',
    // Launched, Registered, Initialized and Ready: one status, one Event.
    'patch NodeClaim',
    'create Event',
  ]);
  expect(requests.filter(({ answer }) => answer !== 'ok')).toEqual([]);
});

it.each<[string, TestWorldOptions, string[]]>([
  [
    'a node that becomes Ready after it joined costs one write more, its last label',
    { cloud: { bootSeconds: 20, readySeconds: 2 } },
    ['patch NodeClaim', 'patch Node', 'patch Node', 'patch NodeClaim', 'create Event'],
  ],
  [
    'a machine that has yet to boot when it is created costs one write more, Launched',
    { cloud: { bootSeconds: 20, readySeconds: 0 }, decorate: bootsLater },
    ['patch NodeClaim', 'patch NodeClaim', 'patch Node', 'patch NodeClaim', 'create Event'],
  ],
])('%s', async (_, options, expected) => {
  const world = await open(options);
  const claim = await world.createClaim('one', oneType);
  const requests = countRequests(world.clusterServices);
  await tellOfClaim(world, claim);
  await live(world, 40);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(described(requests.filter(({ verb }) => verb !== 'get'))).toEqual(expected);
  expect(requests.filter(({ answer }) => answer !== 'ok')).toEqual([]);
});

it('a slow node, with a taint that goes late and a kubelet that writes all the time, stays within seven writes', async () => {
  const world = await open({ cloud: { bootSeconds: 20, readySeconds: 30 } });
  const claim = await world.createClaim('one', oneType);
  const requests = countRequests(world.clusterServices);
  await tellOfClaim(world, claim);
  for (let beat = 0; beat < 70; beat++) {
    await live(world, 1);
    for (const { metadata } of await world.nodes()) {
      await world.patchNode(metadata.name, { metadata: { annotations: { 'example.com/beat': `${beat}` } } });
    }
  }
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  const writes = requests.filter(({ verb }) => verb !== 'get');
  expect(writes.length).toBeLessThanOrEqual(7);
  expect(writes.filter(({ answer }) => answer !== 'ok')).toEqual([]);
});
