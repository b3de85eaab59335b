import { fc, test } from '@fast-check/vitest';
import { Cron } from 'croner';
import { expect, it } from 'vitest';
import { everySeconds } from './ncrontab.ts';

it.each([
  [1, 0, '* * * * * *', 1],
  [30, 0, '*/30 * * * * *', 30],
  [30, 7, '7-59/30 * * * * *', 30],
  [30, 37, '7-59/30 * * * * *', 30],
  [59, 0, '*/30 * * * * *', 30],
  [60, 13, '13 * * * * *', 60],
  [120, 13, '13 */2 * * * *', 120],
  [450, 0, '0 */6 * * * *', 360],
  [3600, 5, '5 0 * * * *', 3600],
  [40_000, 5, '5 0 */8 * * *', 28_800],
  [1e7, 5, '5 0 0 * * *', 86_400],
])('every %d seconds with offset %d is %j, which is every %d seconds', (asked, offset, schedule, seconds) => {
  expect(everySeconds(asked, offset)).toEqual({ schedule, seconds });
});

test.prop([fc.double({ min: 1, max: 200_000, noNaN: true }), fc.integer({ min: 0, max: 59 })])(
  'ticks at even distances, never less often than asked',
  (asked, offset) => {
    const { schedule, seconds } = everySeconds(asked, offset);
    expect(seconds).toBeLessThanOrEqual(Math.min(asked, 86_400));
    expect(seconds).toBeGreaterThan(Math.min(asked, 86_400) / 2.01);
    const ticks = new Cron(schedule, { timezone: 'UTC' }).nextRuns(4, new Date('2026-03-01T00:00:00Z'));
    const distances = ticks.slice(1).map((tick, index) => (tick.getTime() - ticks[index]!.getTime()) / 1000);
    expect(new Set(distances)).toEqual(new Set([seconds]));
  },
);
