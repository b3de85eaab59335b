/** The product's own workflows on Lambda durable functions: from a claim to a node and to nothing left, while processes keep dying. */
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../shared/base/runtime.ts';
import { lifecycleActivities } from '../../../shared/nodes/activities.ts';
import { launch } from '../../../shared/nodes/launch/launch.ts';
import { terminate } from '../../../shared/nodes/terminate/terminate.ts';
import { conditionStatus, type TestWorld, testWorld } from '../../nodes/world.ts';
import { type LambdaHarness, makeLambdaHarness } from './lambda-harness.ts';

let world: TestWorld;
let harness: LambdaHarness;
afterEach(async () => {
  await harness.close();
  await world.close();
});

async function open(faults: LambdaHarness['faults'] = {}): Promise<void> {
  world = await testWorld();
  const { services, clock } = world;
  harness = await makeLambdaHarness({
    workflows: [launch, terminate],
    activities: lifecycleActivities(services),
    clock,
    state: services.state,
  });
  Object.defineProperty(services, 'workflows', { get: () => harness.client });
  harness.faults = {
    ...faults,
    // The world moves with the clock: machines boot and nodes join before anybody looks.
    async losesActivity(when, name) {
      if (when === 'before') await world.cloud.settle();
      return (await faults.losesActivity?.(when, name)) ?? false;
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

describe('claims on Lambda durable functions', () => {
  it('become nodes, and nothing when they are deleted', async () => {
    await open();
    await liveAndDie(['one', 'two']);

    expect(world.cloud.calls.create).toBe(2);
    const { store } = harness.lambda.service.executions;
    for (const { arn, status } of store.list('workflows')) {
      expect(status).toBe('SUCCEEDED');
      expect(store.operations(arn).length, arn).toBeLessThan(40);
    }
  });

  it('do so while processes are lost around every write and effect, steps repeat and invocations double', async () => {
    const random = seededRandom(11);
    let lost = 0;
    const dies = (): boolean => random() < 0.02 && ++lost > 0;
    await open({
      loses: dies,
      losesActivity: dies,
      repeatsActivity: () => random() < 0.1,
      doubles: () => random() < 0.1,
    });
    await liveAndDie(Array.from({ length: 8 }, (_, n) => `claim-${n}`));

    expect(lost).toBeGreaterThan(5);
    expect(world.cloud.overlaps()).toEqual([]);
  });
});
