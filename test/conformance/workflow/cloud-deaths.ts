/** What the drivers of both clouds survive: a process that is lost at any of the platform's points, alone and again and again. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { type Random, seededRandom } from '../../../shared/base/runtime.ts';
import { defineWorkflow, now, type Steps, waitSignal } from '../../../shared/workflow/vocabulary.ts';
import type { CloudHarness, CloudSetup } from './cloud-harness.ts';
import { journey, journeysEnd } from './journey.ts';
import { randomPrograms } from './random-programs.ts';

export interface MortalDriver<Point extends string, H extends CloudHarness> {
  make(setup: CloudSetup): Promise<H>;
  points: readonly Point[];
  /** A whole journey passes each point more often than this. */
  leastPasses: number;
  /** Loses the process where `loses` says so. */
  lose(harness: H, loses: (point: Point) => boolean | Promise<boolean>): void;
  /** Everything else that this platform may do, by chance. */
  harass(harness: H, random: Random): void;
  /** The same, rarely enough for programs of any length. */
  disturb(harness: H, random: Random): void;
  seeds: number;
  /** So many points are passed between the last wait and the end of the workflow. */
  mostPointsAfterTheLastWait: number;
}

export const twoWaits = function* (): Steps<Json> {
  const before = yield* now();
  const came = [yield* waitSignal('look', 100), yield* waitSignal('look', 100)];
  return { came, seconds: ((yield* now()) - before) / 1000 };
};

const key = 'cluster/claim/launch';

export function survivesDeaths<Point extends string, H extends CloudHarness>(driver: MortalDriver<Point, H>): void {
  let harness: H;
  afterEach(() => harness?.close());

  async function start(run: () => Steps<Json>, activities: CloudSetup['activities'] = {}): Promise<void> {
    const workflow = defineWorkflow({ name: 'test', version: 1, run });
    harness = await driver.make({ workflows: [workflow], activities });
    await harness.client.ensure({ workflow, key, input: null, group: 'cluster' });
  }

  async function result(): Promise<Json | undefined> {
    const info = await harness.client.latest(key);
    expect(info).toMatchObject({ epoch: 1, status: 'completed' });
    return info?.result;
  }

  async function travel(trouble: () => void): Promise<string[]> {
    const { run, activities, effects } = journey(() => harness.now());
    await start(run, activities);
    trouble();
    await harness.client.signal(key, 'sent');
    await harness.runUntilIdle();
    expect(await result()).toEqual(journeysEnd);
    await harness.close();
    return effects();
  }

  describe('a process that is lost', () => {
    it.each(driver.points)('%s, any of them, changes nothing but repeats', async (point) => {
      let passed = 0;
      await travel(() => driver.lose(harness, (at) => at === point && passed++ < 0));
      expect(passed).toBeGreaterThan(driver.leastPasses);
      for (let lost = 0; lost < passed; lost++) {
        let seen = 0;
        const effects = await travel(() => driver.lose(harness, (at) => at === point && seen++ === lost));
        expect(new Set(effects).size).toBe(3);
        expect(effects.length).toBeLessThanOrEqual(4);
      }
    });

    it('again and again, with work doubled and repeated, changes nothing either', async () => {
      for (let seed = 1; seed <= driver.seeds; seed++) {
        await travel(() => driver.harass(harness, seededRandom(seed)));
      }
    });
  });

  describe('one signal, sent at any point', () => {
    /** Sends it at the n-th point, and says whether there was one. */
    async function sendAt(nth: number, isLost: boolean): Promise<{ isReached: boolean; came: boolean[] }> {
      await start(twoWaits);
      let passed = 0;
      driver.lose(harness, async () => {
        if (passed++ !== nth) return false;
        await harness.client.signal(key, 'look');
        return isLost;
      });
      await harness.runUntilIdle();
      const { came } = (await result()) as { came: boolean[] };
      await harness.close();
      return { isReached: passed > nth, came };
    }

    it.each([[false], [true]])(
      'is never lost while a wait remains, and never doubled (process lost there: %s)',
      async (isLost) => {
        const seen: boolean[][] = [];
        for (let nth = 0; ; nth++) {
          const { isReached, came } = await sendAt(nth, isLost);
          if (!isReached) break;
          seen.push(came);
        }
        expect(seen.length).toBeGreaterThan(15);
        const afterTheLastWait = seen.findIndex((came) => !came.includes(true));
        expect(afterTheLastWait).toBeGreaterThan(10);
        for (const came of seen.slice(0, afterTheLastWait)) expect(came.filter(Boolean)).toHaveLength(1);
        // Only what came when the last wait was over: the last turn and its writes.
        for (const came of seen.slice(afterTheLastWait)) expect(came).toEqual([false, false]);
        expect(seen.length - afterTheLastWait).toBeLessThanOrEqual(driver.mostPointsAfterTheLastWait);
      },
    );
  });

  describe('with faults of every kind', () => {
    let seed = 0;
    randomPrograms(async (setup) => {
      const made = await driver.make(setup);
      driver.disturb(made, seededRandom(++seed));
      return made;
    });
  });
}
