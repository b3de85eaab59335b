/** VMSets keep their number of machines. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import type { VMSet } from '../../shared/machines/core/objects.ts';
import { lookAfterMachines } from '../../shared/machines/upkeep/look-after.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { isGone, isReady, type MachineWorld, machineWorld, team } from './world.ts';

const signal = new AbortController().signal;
const labels = { app: 'farm' };
let world: MachineWorld;
beforeEach(async () => {
  world = await machineWorld();
  await world.make(machineKinds.set, 'farm', {
    replicas: 3,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { providerRef: { name: 'hall' }, classRef: { name: 'small' }, imageRef: { name: 'ubuntu' } },
    },
  });
});
afterEach(() => world.close());

const set = async (): Promise<VMSet> =>
  mustBe(await world.api.get<VMSet>(machineKinds.set, { namespace: team, name: 'farm' }));
const scale = (replicas: number) => world.patch(machineKinds.set, 'farm', { spec: { replicas } });
const isComplete = (count: number) => async (): Promise<boolean> => {
  const { status } = await set();
  return status?.replicas === count && status.readyReplicas === count && (await world.machines()).length === count;
};

it('as many as it says, with ordinals as names, in both directions', async () => {
  await world.until(isComplete(3));
  for (const name of ['farm-0', 'farm-1', 'farm-2']) {
    expect(await isReady(world, name)()).toBe(true);
    expect((await world.get(name))?.metadata.labels).toEqual(labels);
  }
  expect((await set()).status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'True' });
  await scale(1);
  await world.until(isComplete(1));
  expect(await isGone(world, 'farm-0')()).toBe(false);
  await scale(4);
  await world.until(isComplete(4));
});

it('a machine that somebody deletes is replaced, and one of another owner is left alone', async () => {
  await world.create({}, 'farm-3');
  await world.until(isComplete(3), 60).catch(() => undefined);
  await world.until(isReady(world, 'farm-3'));
  await world.delete('farm-1');
  await world.until(
    async () =>
      (await world.get('farm-1'))?.metadata.deletionTimestamp === undefined &&
      ((await isReady(world, 'farm-4')()) || (await isReady(world, 'farm-1')())),
    300,
  );
  await scale(0);
  await world.until(async () => (await world.machines()).length === 1);
  expect(await isReady(world, 'farm-3')()).toBe(true);
});

it('two hosts at the same time make no machine too many', async () => {
  const other = world.startHost();
  for (let round = 0; round < 5; round++) {
    await Promise.all([
      lookAfterMachines(world.services, world.place, signal),
      lookAfterMachines(other.services, world.place, signal),
    ]);
    await world.pass(2);
  }
  await world.until(isComplete(3));
});

it('its machines go with it', async () => {
  await world.until(isComplete(3));
  const { uid } = (await set()).metadata;
  mustBe(await world.api.delete(machineKinds.set, { namespace: team, name: 'farm' }, { uid }));
  await world.until(async () => (await world.machines()).length === 0);
  await world.until(isGone(world, 'farm-0'));
});
