/** Snapshots of virtual machines: made, gone back to, and deleted. */
import { describe, expect, it } from 'vitest';
import { findCondition } from '../../shared/kube/conditions.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import type { VMSnapshot } from '../../shared/machines/core/objects.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { isReady, type MachineWorld, type MachineWorldOptions, machineWorld, team } from './world.ts';

const signal = new AbortController().signal;
const ref = { namespace: team, name: 'before' };

async function inWorld(use: (world: MachineWorld) => Promise<void>, options: MachineWorldOptions = {}): Promise<void> {
  const world = await machineWorld(options);
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

const take = (world: MachineWorld, snapshotConfig: object = {}) =>
  world.make(machineKinds.snapshot, 'before', { vmRef: { name: 'web' }, snapshotConfig });
const snapshot = async (world: MachineWorld): Promise<VMSnapshot | undefined> => {
  const found = await world.api.get<VMSnapshot>(machineKinds.snapshot, ref);
  return found.ok ? found.value : undefined;
};
const isTaken = (world: MachineWorld) => async (): Promise<boolean> =>
  (await snapshot(world))?.status?.phase === 'Ready';
const isForgotten = (world: MachineWorld) => async (): Promise<boolean> => (await snapshot(world)) === undefined;
const drop = async (world: MachineWorld): Promise<void> => {
  const { uid } = (await snapshot(world))!.metadata;
  mustBe(await world.api.delete(machineKinds.snapshot, ref, { uid }));
};
/** At the hypervisor. */
const kept = async (world: MachineWorld): Promise<readonly string[]> => {
  const [machine] = await world.machines();
  return mustBe(await world.hypervisor.diskInfo(machine!.id, 'data', undefined, signal)).snapshots;
};
const made = async (world: MachineWorld): Promise<void> => {
  await world.create({ disks: [{ name: 'data', sizeGiB: 10 }] });
  await world.until(isReady(world));
};

it('a snapshot is made, the machine goes back to it, and it goes with its object', () =>
  inWorld(async (world) => {
    await made(world);
    await take(world, { description: 'before the change' });
    await world.until(isTaken(world));
    expect(await kept(world)).toEqual([(await snapshot(world))?.status?.snapshotID]);

    await world.change({ resources: { cpu: 8 } });
    await world.until(isReady(world));
    let reverts = 0;
    const revert = world.hypervisor.revertToSnapshot;
    world.hypervisor.revertToSnapshot = (...args) => {
      reverts += 1;
      return revert(...args);
    };
    await world.change({ resources: { cpu: 2 }, snapshot: { revertToRef: { name: 'before' } } });
    await world.until(isReady(world));
    await world.pass(60, 10);
    expect(reverts).toBe(1);
    expect(await world.machines()).toMatchObject([{ cpu: 2, power: 'On' }]);

    await drop(world);
    await world.until(isForgotten(world));
    expect(await kept(world)).toEqual([]);
  }));

it('waits for its machine, and says so', () =>
  inWorld(async (world) => {
    await take(world);
    await world.pass(10);
    const ready = findCondition((await snapshot(world))?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'WaitingForDependencies' });
    expect(ready?.message).toContain('spec.vmRef');
    await made(world);
    await world.until(isTaken(world));
  }));

it('names the capability that its provider does not have', () =>
  inWorld(
    async (world) => {
      await made(world);
      await take(world, { includeMemory: true });
      await world.pass(10);
      const ready = findCondition((await snapshot(world))?.status?.conditions, 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'MachineCapabilityMissing' });
      expect(ready?.message).toContain('supports_memory_snapshots');
    },
    {
      wrap: (driver) => ({
        ...driver,
        capabilities: async (stop) => {
          const can = await driver.capabilities(stop);
          return can.ok ? { ok: true, value: { ...can.value, memorySnapshots: false } } : can;
        },
      }),
    },
  ));

it('goes with its machine', () =>
  inWorld(async (world) => {
    await made(world);
    await take(world);
    await world.until(isTaken(world));
    await world.delete();
    await world.until(async () => (await world.get()) === undefined);
    await drop(world);
    await world.until(isForgotten(world));
  }));

describe.each(['before', 'after'] as const)('when the process dies %s any step', (when) => {
  it('there is one snapshot, and none after its deletion', async () => {
    for (let at = 0; at < 8; at++) {
      await inWorld(async (world) => {
        await made(world);
        world.engine.crashAt(world.engine.executions + at, when);
        await take(world);
        await world.until(isTaken(world));
        expect(await kept(world)).toHaveLength(1);
        world.engine.crashAt(world.engine.executions + at, when);
        await drop(world);
        await world.until(isForgotten(world));
        expect(await kept(world)).toEqual([]);
      });
    }
  });

  it('of going back, the machine goes back and is Ready', async () => {
    for (let at = 0; at < 6; at++) {
      await inWorld(async (world) => {
        await made(world);
        await take(world);
        await world.until(isTaken(world));
        await world.change({ disks: [{ name: 'data', sizeGiB: 30 }] });
        await world.until(isReady(world));
        world.engine.crashAt(world.engine.executions + at, when);
        await world.change({ snapshot: { revertToRef: { name: 'before' } } });
        await world.until(isReady(world));
        // What the spec asks for still holds.
        expect(await world.machines()).toMatchObject([{ power: 'On', disks: [{ sizeGiB: 30 }] }]);
      });
    }
  });
});

it('is deleted at any step without leaving anything', async () => {
  for (let at = 0; at < 6; at++) {
    await inWorld(async (world) => {
      await made(world);
      const first = world.engine.executions + at;
      let deleted = false;
      await take(world);
      world.engine.beforeStep = async () => {
        if (world.engine.executions < first || deleted) return;
        deleted = true;
        if ((await snapshot(world)) !== undefined) await drop(world);
      };
      await world.pass(20);
      if (!deleted) await drop(world);
      await world.until(isForgotten(world));
      expect(await kept(world)).toEqual([]);
    });
  }
});
