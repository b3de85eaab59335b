/** A provider whose cloud takes few creates per second: whoever is put off before the call has spent nothing, not even a right. */
import { expect, it } from 'vitest';
import { failed, ok } from '../../shared/base/result.ts';
import { annotations } from '../../shared/nodes/claims/spec/well-known.ts';
import { aFleet } from './a-fleet.ts';
import { useWorld } from './use-world.ts';
import { conditionOf, conditionStatus } from './world.ts';

const open = useWorld();

it('a claim waits for room without a right and says so; it takes its right when there is room', async () => {
  const asked: string[] = [];
  let full = true;
  const world = await open({
    decorate: (inner) => ({
      ...aFleet().decorate(inner),
      roomToCreate: async (token) => {
        asked.push(token);
        return full ? failed('throttled', 'many ask at once', { retryAfterSeconds: 30 }) : ok(undefined);
      },
    }),
  });
  await world.createClaim('one');
  await world.settle();
  expect(world.cloud.living).toBe(0);
  expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({
    status: 'Unknown',
    reason: 'Throttled',
    message: expect.stringContaining('many ask at once'),
  });
  expect((await world.claim('one'))?.metadata.annotations?.[annotations.attempt]).toBeUndefined();

  full = false;
  await world.pass(60);
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  const annotation = (await world.claim('one'))?.metadata.annotations?.[annotations.attempt];
  expect(JSON.parse(annotation ?? '{}')).toMatchObject({ attempt: 1, rights: 1 });
  // The same token every time: a place in the line is kept for it.
  expect(new Set(asked).size).toBe(1);
  expect(asked.length).toBeGreaterThan(1);
});
