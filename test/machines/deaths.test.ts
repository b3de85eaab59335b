/** Whatever dies and whenever: one machine for each object, and none without one. */
import { describe, expect, it } from 'vitest';
import { failed, ok } from '../../shared/base/result.ts';
import type { ListedMachine, MachineDriver } from '../../shared/drivers/contract.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { machineAnnotations } from '../../shared/machines/core/marks.ts';
import { machineKey, wakeMachine } from '../../shared/machines/ensure.ts';
import { lookAfterMachines } from '../../shared/machines/upkeep/look-after.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { isGone, isReady, type MachineWorld, type MachineWorldOptions, machineWorld } from './world.ts';

const signal = new AbortController().signal;
/** More than one life takes; a test fails if it takes more. */
const mostSteps = 40;
const disks = [{ name: 'data', sizeGiB: 10 }];

/** A server of others, which makes a second machine of a name when it is asked twice. */
function notIdempotent(driver: MachineDriver): MachineDriver {
  let count = 0;
  const plain = (name: string): string => name.replace(/@\d+$/, '');
  return {
    ...driver,
    create: (name, spec, stop) => driver.create(`${name}@${count++}`, spec, stop),
    list: async (stop) => {
      const listed = await driver.list(stop);
      return listed.ok ? ok(listed.value.map((one) => ({ ...one, name: plain(one.name) }))) : listed;
    },
  };
}

async function inWorld(use: (world: MachineWorld) => Promise<void>, options: MachineWorldOptions = {}): Promise<void> {
  const world = await machineWorld({ wrap: notIdempotent, ...options });
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

/** Of one life from nothing to Ready, without trouble. */
async function stepsOfALife(): Promise<number> {
  let steps = 0;
  await inWorld(async (world) => {
    await world.create({ disks });
    await world.until(isReady(world));
    steps = world.engine.executions;
  });
  expect(steps).toBeLessThan(mostSteps);
  return steps;
}

async function expectOneMachine(world: MachineWorld): Promise<void> {
  await world.until(isReady(world), 1800);
  const machines = await world.machines();
  expect(machines.map(({ id }) => id)).toEqual([(await world.get())?.status?.id]);
}

async function expectNothing(world: MachineWorld): Promise<void> {
  await world.until(isGone(world), 1800);
  // What comes late would come now.
  await world.pass(200, 50);
  expect(await world.machines()).toEqual([]);
}

it('leaves nothing when it is deleted at any step', async () => {
  const steps = await stepsOfALife();
  for (let at = 0; at < steps; at++) {
    await inWorld(async (world) => {
      let deleted = false;
      world.engine.beforeStep = async () => {
        if (world.engine.executions !== at || deleted) return;
        deleted = true;
        const { metadata } = (await world.get())!;
        mustBe(
          await world.api.delete(
            machineKinds.virtualMachine,
            { namespace: metadata.namespace, name: 'web' },
            { uid: metadata.uid },
          ),
        );
      };
      await world.create({ disks });
      await world.pass(5);
      await expectNothing(world);
    });
  }
});

describe.each(['before', 'after'] as const)('when the process dies %s any step', (when) => {
  it('there is one machine', async () => {
    const steps = await stepsOfALife();
    for (let at = 0; at < steps; at++) {
      await inWorld(async (world) => {
        world.engine.crashAt(at, when);
        await world.create({ disks });
        await expectOneMachine(world);
      });
    }
  });

  it('of a change, it is changed', async () => {
    for (let at = 0; at < 8; at++) {
      await inWorld(async (world) => {
        await world.create({ disks });
        await world.until(isReady(world));
        world.engine.crashAt(world.engine.executions + at, when);
        await world.change({ resources: { cpu: 6 }, disks: [{ name: 'data', sizeGiB: 30 }] });
        await expectOneMachine(world);
        expect(await world.machines()).toMatchObject([{ cpu: 6, power: 'On', disks: [{ sizeGiB: 30 }] }]);
      });
    }
  });

  it('of a deletion, nothing is left', async () => {
    for (let at = 0; at < 6; at++) {
      await inWorld(async (world) => {
        await world.create({ disks });
        await world.until(isReady(world));
        world.engine.crashAt(world.engine.executions + at, when);
        await world.delete();
        await expectNothing(world);
      });
    }
  });
});

it('makes one machine when history and status are lost at any step', async () => {
  const steps = await stepsOfALife();
  for (let at = 0; at < steps; at++) {
    await inWorld(async (world) => {
      let lost = false;
      world.engine.beforeStep = async (id) => {
        if (world.engine.executions !== at || lost) return;
        lost = true;
        await world.patch(machineKinds.virtualMachine, 'web', {});
        const options = { subresource: 'status' } as const;
        const name = { namespace: 'team-a', name: 'web' };
        mustBe(await world.api.mergePatch(machineKinds.virtualMachine, name, { status: null }, options));
        world.engine.loseHistory(id.replace(/\/\d+$/, ''));
      };
      await world.create({ disks });
      await expectOneMachine(world);
    });
  }
});

describe('the answer to a create that is lost', () => {
  it.each([
    ['had its effect at once', 0],
    ['has its effect a minute later', 60],
  ])('and %s, leaves one machine', async (_, delay) => {
    for (const deletes of [false, true]) {
      let asked = 0;
      let world: MachineWorld | undefined;
      const late: { at: number; run: () => Promise<unknown> }[] = [];
      const settleLate = async (): Promise<void> => {
        for (const one of late.splice(0)) {
          if (one.at > world!.clock.now()) late.push(one);
          else await one.run();
        }
      };
      const wrap = (driver: MachineDriver): MachineDriver => {
        const plain = notIdempotent(driver);
        return {
          ...plain,
          create: async (name, spec, stop) => {
            asked += 1;
            if (asked > 1) return plain.create(name, spec, stop);
            late.push({ at: world!.clock.now() + delay * 1000, run: () => plain.create(name, spec, stop) });
            await settleLate();
            return failed('outcome-unknown', 'the line is dead');
          },
          list: async (stop) => {
            await settleLate();
            return await plain.list(stop);
          },
        };
      };
      await inWorld(
        async (made) => {
          world = made;
          await made.create({ disks });
          if (deletes) {
            await made.pass(3);
            await made.delete();
            await expectNothing(made);
            await settleLate();
            expect(await made.machines()).toEqual([]);
          } else {
            await expectOneMachine(made);
            expect(asked).toBe(1);
          }
        },
        { wrap },
      );
    }
  });

  it('and never had an effect, is followed by another attempt', async () => {
    let asked = 0;
    const wrap = (driver: MachineDriver): MachineDriver => ({
      ...driver,
      create: async (...args) =>
        ++asked === 1 ? failed('outcome-unknown', 'the line is dead') : await driver.create(...args),
    });
    await inWorld(
      async (world) => {
        await world.create({ disks });
        await expectOneMachine(world);
        expect(asked).toBe(2);
      },
      { wrap },
    );
  });
});

it('makes one machine when two hosts work for it at the same time', async () => {
  for (let shift = 0; shift < 4; shift++) {
    await inWorld(async (world) => {
      const other = world.startHost();
      const ref = await world.create({ disks });
      mustBe(await wakeMachine(other.services, ref));
      // One host is in the middle of each step when the other takes one.
      let turn = shift;
      let inside = false;
      world.engine.beforeStep = async () => {
        if (inside || turn++ % 2 === 0) return;
        inside = true;
        await lookAfterMachines(other.services, world.place, signal);
        await other.engine.runUntil(world.clock.now());
        inside = false;
      };
      await expectOneMachine(world);
      await world.delete();
      mustBe(await wakeMachine(other.services, ref));
      await expectNothing(world);
    });
  }
});

it('removes what a failed create has left, before it tries again', async () => {
  let tasks = 0;
  const wrap = (driver: MachineDriver): MachineDriver => {
    const plain = notIdempotent(driver);
    return {
      ...plain,
      task: async (task, stop) => {
        const state = await plain.task(task, stop);
        if (!state.ok || !state.value.done || tasks > 0) return state;
        tasks += 1;
        return ok({ done: true, error: 'the disk is full' });
      },
    };
  };
  await inWorld(
    async (world) => {
      await world.create({ disks });
      await world.until(async () => (await world.message()).includes('the disk is full'));
      const before = await world.machines();
      await expectOneMachine(world);
      expect(before.map(({ id }) => id)).not.toContain((await world.get())?.status?.id);
    },
    { wrap },
  );
});

it('removes the second machine of one name, and keeps one', async () => {
  await inWorld(async (world) => {
    await world.create({ disks });
    await world.until(async () => (await world.machines()).length === 1);
    const [{ name }] = (await world.machines()) as [ListedMachine];
    const spec = { class: { cpu: 1, memoryMiB: 512 }, image: {}, networks: [], disks: [], tags: [] };
    mustBe(await world.hypervisor.create(name.replace(/@\d+$/, '@9'), spec, signal));
    const options = { subresource: 'status' } as const;
    const ref = { namespace: 'team-a', name: 'web' };
    mustBe(await world.api.mergePatch(machineKinds.virtualMachine, ref, { status: null }, options));
    await world.wake();
    await expectOneMachine(world);
  });
});

it('makes nothing while its record cannot be read, and says so', async () => {
  await inWorld(async (world) => {
    const ref = await world.create({ disks });
    await world.until(isReady(world));
    const annotations = { [machineAnnotations.record]: '{"uid":' };
    await world.patch(machineKinds.virtualMachine, 'web', { metadata: { annotations } });
    world.engine.loseHistory(machineKey(ref));
    await world.change({ powerState: 'Off' });
    await world.until(async () => (await world.ready()) === 'False MachineRecordUnreadable');
    expect(await world.machines()).toHaveLength(1);
    await world.delete();
    await expectNothing(world);
  });
});
