/** The product's own workflows on the driver of a cloud: from a claim to a node and to nothing left, while processes keep dying. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../shared/base/runtime.ts';
import { lifecycleActivities } from '../../../shared/nodes/activities.ts';
import { launch } from '../../../shared/nodes/launch/launch.ts';
import { terminate } from '../../../shared/nodes/terminate/terminate.ts';
import { conditionStatus, type TestWorld, testWorld } from '../../nodes/world.ts';
import type { CloudHarness, CloudSetup } from './cloud-harness.ts';

export interface CloudDriver<H extends CloudHarness> {
  name: string;
  make(setup: CloudSetup): Promise<H>;
  /** Lets the world move before each activity; with chance, things also go wrong, and each death is told. */
  trouble(harness: H, beforeActivity: () => Promise<void>, chance?: { random: Random; died(): void }): void;
  /** That what was run has ended well, and in how many steps. */
  expectShort(harness: H): void;
}

export function claimsLiveAndDie<H extends CloudHarness>(driver: CloudDriver<H>): void {
  let world: TestWorld;
  let harness: H;

  async function open(chance?: { random: Random; died(): void }): Promise<void> {
    world = await testWorld();
    const { services, clock } = world;
    harness = await driver.make({
      workflows: [launch, terminate],
      activities: lifecycleActivities(services),
      clock,
      state: services.state,
    });
    Object.defineProperty(services, 'workflows', { get: () => harness.client });
    // The world moves with the clock: machines boot and nodes join before anybody looks.
    driver.trouble(harness, async () => void (await world.cloud.settle()), chance);
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

  describe(`claims on ${driver.name}`, () => {
    afterEach(async () => {
      await harness.close();
      await world.close();
    });

    it('become nodes, and nothing when they are deleted', async () => {
      await open();
      await liveAndDie(['one', 'two']);

      expect(world.cloud.calls.create).toBe(2);
      driver.expectShort(harness);
    });

    it('do so while processes are lost around every write and effect, steps repeat and messages double', async () => {
      let lost = 0;
      await open({ random: seededRandom(11), died: () => void lost++ });
      await liveAndDie(Array.from({ length: 8 }, (_, n) => `claim-${n}`));

      expect(lost).toBeGreaterThan(5);
      expect(world.cloud.overlaps()).toEqual([]);
    });
  });
}
