/** Machines that exist get objects, where their Provider asks for it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import type { VirtualMachine } from '../../shared/machines/core/objects.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { isReady, type MachineWorld, machineWorld, team } from './world.ts';

const signal = new AbortController().signal;
let world: MachineWorld;
beforeEach(async () => {
  world = await machineWorld();
});
afterEach(() => world.close());

const adopt = (filter?: string) =>
  world.patch(machineKinds.provider, 'hall', {
    metadata: {
      annotations: {
        'virtrigaud.io/adopt-vms': 'true',
        ...(filter === undefined ? {} : { 'virtrigaud.io/adopt-filter': filter }),
      },
    },
  });
const objects = async (): Promise<VirtualMachine[]> =>
  mustBe(await world.api.list<VirtualMachine>(machineKinds.virtualMachine, { namespace: team })).items;
const powers = async () => mustBe(await world.hypervisor.list(signal)).map(({ id, power }) => `${id} ${power}`);

it('each machine gets one object, and stays as it is', async () => {
  const before = await powers();
  await world.create();
  await world.until(isReady(world));
  await adopt();
  await world.pass(60, 5);
  const adopted = (await objects()).filter(({ metadata }) => metadata.labels?.['virtrigaud.io/adopted'] === 'true');
  expect(adopted).toHaveLength(before.length);
  for (const { metadata } of adopted) expect(await world.ready(metadata.name)).toBe('True ReconcileSuccess');
  expect((await powers()).filter((one) => before.includes(one))).toEqual(before);
  expect(await world.machines()).toHaveLength(1);
  const provider = await world.api.get(machineKinds.provider, { namespace: team, name: 'hall' });
  expect(provider).toMatchObject({
    value: {
      status: { adoption: { discoveredVMs: before.length + 1, adoptedVMs: before.length, failedAdoptions: 0 } },
    },
  });
});

it('only those that the filter takes; and a filter that cannot be read takes none', async () => {
  await adopt('{"powerState":');
  await world.pass(10, 5);
  expect(await objects()).toEqual([]);
  await adopt('{"powerState":"Off"}');
  await world.pass(10, 5);
  expect((await objects()).map(({ spec }) => spec.powerState)).toEqual(['Off']);
});

it('an adopted machine is changed and deleted like any other, and is not made again when it vanishes', async () => {
  await adopt('{"powerState":"Off"}');
  await world.pass(20, 5);
  const [{ metadata }] = (await objects()) as [VirtualMachine];
  await world.change({ powerState: 'On' }, metadata.name);
  await world.until(isReady(world, metadata.name));
  const id = (await world.get(metadata.name))!.status!.id!;
  const count = (await powers()).length;
  await world.hypervisor.delete(id, signal);
  await world.pass(60, 5);
  expect(await world.ready(metadata.name)).toBe('False MachineVanished');
  expect(await powers()).toHaveLength(count - 1);
});

it('an object cannot take a machine that its Provider does not give away', async () => {
  const [machine] = mustBe(await world.hypervisor.list(signal));
  await world.create({}, 'thief', { annotations: { 'poolwright.dev/adopts': machine!.id } });
  await world.until(isReady(world, 'thief'));
  expect((await world.get('thief'))?.status?.id).not.toBe(machine!.id);
  await world.delete('thief');
  await world.pass(60, 5);
  expect(mustBe(await world.hypervisor.describe(machine!.id, signal))).toBeDefined();
});
