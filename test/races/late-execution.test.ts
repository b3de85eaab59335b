/**
 * What an execution that comes late must not do. An activity may run again long after another launch went on: it was
 * repeated after a crash, or its process was only asleep.
 */
import { expect, it } from 'vitest';
import { lifecycleActivities } from '../../shared/nodes/activities.ts';
import { pause, resume } from '../../shared/nodes/pauses/pauses.ts';
import { only, pooled, useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionStatus, type TestWorld } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

const execute = (world: TestWorld, activity: string, input: object) =>
  lifecycleActivities(world.services)[activity]!(input as never, {
    workflowId: `${clusterName}/late/launch/1`,
    activity,
    execution: 1,
    signal: new AbortController().signal,
  });

it("a fail that comes late does not delete a pool's claim that is Ready by now", async () => {
  const world = await open();
  const { metadata } = await world.createClaim('one', { ...oneType, metadata: pooled });
  await world.settle();
  const ref = { cluster: clusterName, name: 'one', uid: metadata.uid };
  const failure = { kind: 'insufficient-capacity', message: 'sold out' };
  const closer = { id: 'late', epoch: 1 };
  for (const passed of [undefined, { attempt: 1, closer }, { attempt: 0, closer }]) {
    const answer = await execute(world, 'fail', { ref, failure, reason: 'InsufficientCapacity', passed });
    expect(answer).toMatchObject({ do: 'refused' });
  }
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
});

it('a begin-create that is asked again and again buys nothing once the provider is paused', async () => {
  const world = await open({
    cloud: { faults: [{ on: 'create', count: 3, do: { kind: 'throttle' } }] },
  });
  await world.createClaim('one', oneType);
  await world.resync();
  await world.engine.runUntil(world.clock.now());
  expect(world.cloud.calls.create).toBe(1);
  await pause(world.services, { kind: 'provider', name: 'sim' }, 'too dear');
  await world.pass(600);
  expect(world.cloud.calls.create).toBe(1);
  expect(world.cloud.ledger()).toEqual([]);
  await resume(world.services, { kind: 'provider', name: 'sim' });
  await world.pass(120);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
});
