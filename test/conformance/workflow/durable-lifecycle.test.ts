/** The product's own workflows on this driver: from a claim to a node and to nothing left, on a host that keeps dying. */
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../shared/base/runtime.ts';
import { lifecycleActivities } from '../../../shared/nodes/activities.ts';
import { launch } from '../../../shared/nodes/launch/launch.ts';
import { terminate } from '../../../shared/nodes/terminate/terminate.ts';
import { conditionStatus, type TestWorld, testWorld } from '../../nodes/world.ts';
import type { DurableFaults } from '../../stand-ins/functions-host/durable/faults.ts';
import { type DurableHarness, makeDurableHarness } from './durable-harness.ts';

let world: TestWorld;
let harness: DurableHarness;
afterEach(async () => {
  await harness.close();
  await world.close();
});

async function open(faults: DurableFaults = {}): Promise<void> {
  world = await testWorld();
  const { services, clock } = world;
  harness = await makeDurableHarness({
    workflows: [launch, terminate],
    activities: lifecycleActivities(services),
    clock,
    state: services.state,
  });
  Object.defineProperty(services, 'workflows', { get: () => harness.client });
  harness.faults = {
    ...faults,
    // The world moves with the clock: machines boot and nodes join before anybody looks.
    async loses(point, name) {
      if (point === 'before-activity') await world.cloud.settle();
      return (await faults.loses?.(point, name)) ?? false;
    },
  };
}

/** Resyncs and lets time pass, until it is so. */
async function passUntil(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (let round = 0; round < 60; round++) {
    await world.resync();
    await harness.runFor(20);
    await world.cloud.settle();
    if (await isSo()) return;
  }
  throw new Error(`no end in sight: ${what}`);
}

const allReady = async (): Promise<boolean> =>
  (await world.claims()).every((claim) => conditionStatus(claim, 'Initialized') === 'True');
const noneLeft = async (): Promise<boolean> => (await world.claims()).length === 0;

async function liveAndDie(names: readonly string[]): Promise<void> {
  for (const name of names) await world.createClaim(name);
  await passUntil(allReady, 'not every claim is ready');
  expect(await world.nodes()).toHaveLength(names.length);
  expect(world.cloud.living).toBe(names.length);
  for (const name of names) await world.deleteClaim(name);
  await passUntil(noneLeft, 'not every claim is gone');
  expect(world.cloud.living).toBe(0);
  expect(await world.nodes()).toEqual([]);
}

describe('claims on Durable Functions', () => {
  it('become nodes, and nothing when they are deleted', async () => {
    await open();
    await liveAndDie(['one', 'two']);

    expect(world.cloud.calls.create).toBe(2);
    for (const { id } of harness.hub.store.list('', 100)) {
      expect(harness.hub.store.history(id).length, id).toBeLessThan(100);
    }
  });

  it('do so on a host that loses its process, repeats activities and doubles events', async () => {
    const random = seededRandom(11);
    let lost = 0;
    await open({
      loses: () => random() < 0.03 && ++lost > 0,
      repeats: () => random() < 0.1,
      completions: () => (random() < 0.1 ? 2 : 1),
      eventDelays: () => (random() < 0.5 ? [0, 0] : [0, 20_000]),
    });
    await liveAndDie(Array.from({ length: 8 }, (_, n) => `claim-${n}`));

    expect(lost).toBeGreaterThan(5);
    expect(world.cloud.overlaps()).toEqual([]);
  });
});
