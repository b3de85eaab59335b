/** A pool whose claims do not fit on one page of a list. */
import { expect, it } from 'vitest';
import { usePoolWorld } from './pool-world.ts';

const open = usePoolWorld();

it('a pool of 600 is filled in one look, goes to nothing and comes back', async () => {
  const world = await open();
  await world.createPool('workers', { replicas: 600 });
  for (const replicas of [600, 0, 600]) {
    await world.scale('workers', replicas);
    await world.reconcilePools();
    expect(await world.alive('workers')).toHaveLength(replicas);
  }
});

it('a pool of more than a thousand is filled in several looks, so that it holds up no other', async () => {
  const world = await open();
  await world.createPool('workers', { replicas: 1005 });
  await world.reconcilePools();
  expect(await world.alive('workers')).toHaveLength(1000);
  world.clock.advance(60_000);
  await world.reconcilePools();
  expect(await world.alive('workers')).toHaveLength(1005);
});
