/** The cap on instances counts what was there before it, whoever comes first. */
import { expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { turnHolders } from '../../shared/nodes/pauses/turns.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

const setCap = (world: TestWorld, maxInstances: number): void => {
  Object.assign<ClusterServices, Partial<ClusterServices>>(world.clusterServices, { maxInstances });
};

/** A claim whose launch starts by its event, before any resync. */
async function createByEvent(world: TestWorld, name: string): Promise<void> {
  const { metadata } = await world.createClaim(name, oneType);
  const { uid, resourceVersion } = metadata;
  const data = { cluster: clusterName, name, uid, resourceVersion, deleting: false, observedBy: 'bridge' as const };
  const attributes = { id: name, time: world.clock.now(), source: '/test', subject: `${clusterName}/${name}` };
  await world.deliver(makeEvent('dev.poolwright.claim.changed.v1', data, attributes));
  await world.engine.runUntil(world.clock.now() + 5_000);
}

it('a cap that is set while there are machines counts them, also before the first resync', async () => {
  const world = await open();
  for (const name of ['a', 'b', 'c']) await world.createClaim(name, oneType);
  await world.settle();
  expect(world.cloud.living).toBe(3);
  setCap(world, 2);
  await createByEvent(world, 'late');
  await world.pass(120);
  expect(world.cloud.living).toBe(3);
  expect(conditionOf(await world.claim('late'), 'Launched')?.reason).toBe('WaitingForTurn');
  await world.deleteClaim('a');
  await world.pass(120);
  expect(world.cloud.living).toBe(2);
  await world.deleteClaim('b');
  await world.pass(120);
  expect(conditionStatus(await world.claim('late'), 'Ready')).toBe('True');
  expect(world.cloud.living).toBe(2);
});

it('turns that were lost with the state are found again from the claims', async () => {
  const world = await open({ cluster: { maxInstances: 2 } });
  for (const name of ['a', 'b']) await world.createClaim(name, oneType);
  await world.settle();
  const { state } = world.services;
  for (const prefix of ['turns/', 'turns-counted/']) {
    for (const { key } of (await state.list(prefix)).items) await state.delete(key);
  }
  await createByEvent(world, 'late');
  await world.pass(60);
  expect(world.cloud.living).toBe(2);
  expect((await turnHolders(world.services, world.clusterServices)).size).toBe(2);
});
