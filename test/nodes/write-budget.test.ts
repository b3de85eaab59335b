/**
 * What a claim costs the API server on its way up. The server is the bottleneck when a thousand claims come at once, so the
 * requests of an ordinary life are held here one by one: a step that reads or writes once more has to say why.
 */
import { expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { countRequests, described } from './counting-api.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
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

it('an ordinary claim is six writes and four reads: machine, node that joins, node that becomes Ready', async () => {
  const world = await open({ cloud: { bootSeconds: 20, readySeconds: 3 } });
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
    // Launched.
    'patch NodeClaim',
    // The node has joined: labels, taints, owner, finalizer. Its claim says so together with what follows soon.
    'get Node',
    'patch Node',
    'get NodeClaim',
    // Ready: one label, one status, one Event.
    'get Node',
    'patch Node',
    'patch NodeClaim',
    'create Event',
  ]);
  expect(requests.filter(({ answer }) => answer !== 'ok')).toEqual([]);
});

it('a node that is Ready when it joins costs one write less', async () => {
  const world = await open({ cloud: { bootSeconds: 20, readySeconds: 0 } });
  const claim = await world.createClaim('one', oneType);
  const requests = countRequests(world.clusterServices);
  await tellOfClaim(world, claim);
  await live(world, 40);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  const writes = described(requests.filter(({ verb }) => verb !== 'get'));
  expect(writes).toEqual(['patch NodeClaim', 'patch NodeClaim', 'patch Node', 'patch NodeClaim', 'create Event']);
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
