/**
 * The hardest promise, deterministically: whatever dies or is deleted, and at whichever step, nothing is left behind and
 * no claim ever has two machines. Each case runs on its own virtual clock.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { FaultRules } from '../../sim/kit/faults.ts';
import { conditionStatus, type TestWorld, type TestWorldOptions, testWorld } from './world.ts';

/** A launch and a terminate without faults take fewer executions than this; later indexes simply never come. */
const mostSteps = 16;

const modes = ['token', 'name', 'claim-name', 'none'] as const;

const worldFor = (mode: (typeof modes)[number], more: TestWorldOptions = {}): Promise<TestWorld> =>
  testWorld({
    ...more,
    cloud: { idempotency: mode === 'claim-name' ? 'name' : mode, ...more.cloud },
    traits: { idempotency: mode },
  });

/** The first offering is sold out, so every launch also passes over an attempt. */
const firstSoldOut: FaultRules = [{ on: 'create', count: 1, do: { kind: 'sold-out' } }] as unknown as FaultRules;

let world: TestWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function expectNothingLeft(where: string): Promise<void> {
  const { claims, nodes, cloud } = world!;
  expect(
    (await claims()).map((claim) => claim.metadata.name),
    where,
  ).toEqual([]);
  expect(
    (await nodes()).map((node) => node.metadata.name),
    where,
  ).toEqual([]);
  expect(cloud.living, where).toBe(0);
  expect(cloud.overlaps(), where).toEqual([]);
}

describe.each(modes)('with idempotency by %s', (mode) => {
  it.each([
    ['without trouble', []],
    ['after a sold-out offering', firstSoldOut],
  ] as const)('a claim deleted before any single step leaves nothing, %s', async (_, faults) => {
    for (let at = 0; at < mostSteps; at++) {
      world = await worldFor(mode, { cloud: { faults } });
      const { engine, createClaim, deleteClaim, settle, cloud } = world;
      await createClaim('one');
      let step = 0;
      engine.beforeStep = async () => {
        await cloud.settle();
        if (step++ === at) await deleteClaim('one');
      };
      await settle();
      // Indexes beyond the last step of the launch never came.
      await deleteClaim('one');
      await settle();
      await expectNothingLeft(`deleted before step ${at}`);
      await world.close();
    }
    world = undefined;
  });

  it.each(['before', 'after'] as const)('a crash %s any single step changes nothing', async (when) => {
    for (let at = 0; at < mostSteps; at++) {
      world = await worldFor(mode, { cloud: { faults: firstSoldOut } });
      const { engine, createClaim, deleteClaim, settle, claim, cloud } = world;
      engine.crashAt(at, when);
      await createClaim('one');
      await settle();
      expect(conditionStatus(await claim('one'), 'Ready'), `crash ${when} ${at}`).toBe('True');
      expect(cloud.living, `crash ${when} ${at}`).toBe(1);
      await deleteClaim('one');
      await settle();
      await expectNothingLeft(`crash ${when} ${at}`);
      await world.close();
    }
    world = undefined;
  });

  it('a history lost at any single step is made up for from the claim', async () => {
    for (let at = 0; at < mostSteps; at++) {
      world = await worldFor(mode, { cloud: { faults: firstSoldOut } });
      const { engine, createClaim, deleteClaim, settle, claim, cloud } = world;
      const { metadata } = await createClaim('one');
      let step = 0;
      engine.beforeStep = async () => {
        await cloud.settle();
        if (step++ === at) {
          for (const kind of ['launch', 'terminate']) engine.loseHistory(`test/${metadata.uid}/${kind}`);
        }
      };
      await settle();
      expect(conditionStatus(await claim('one'), 'Ready'), `history lost at ${at}`).toBe('True');
      await deleteClaim('one');
      await settle();
      await expectNothingLeft(`history lost at ${at}`);
      await world.close();
    }
    world = undefined;
  });
});
