import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestRetryAfterSeconds, pauseSeconds, stableRandom } from './backoff.ts';

const backoff = { firstSeconds: 2, maxSeconds: 60 };

test('pauses double up to the maximum', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => pauseSeconds(failures, { ...backoff, random: () => 1 }));
  expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

test('chance takes away at most half', () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, chance) => {
      const full = pauseSeconds(failures, { ...backoff, random: () => 1 });
      const pause = pauseSeconds(failures, { ...backoff, random: () => chance });
      expect(pause).toBeGreaterThanOrEqual(full / 2);
      expect(pause).toBeLessThanOrEqual(full);
    }),
  );
});

test.each([
  [30, 30],
  [1, 2],
  [-5, 2],
  [1e9, longestRetryAfterSeconds],
  [Number.NaN, longestRetryAfterSeconds],
])('a wish to wait for %s seconds gives %s', (asked, expected) => {
  expect(pauseSeconds(1, { ...backoff, random: () => 1, retryAfterSeconds: asked })).toBe(expected);
});

test('stable chance is the same for the same text, and spread out for texts that differ by little', () => {
  expect(stableRandom('claim-1/2')()).toBe(stableRandom('claim-1/2')());
  const fractions = Array.from({ length: 1000 }, (_, index) => stableRandom(`claim-${index}`)());
  expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
  for (let tenth = 0; tenth < 10; tenth++) {
    const count = fractions.filter((fraction) => Math.floor(fraction * 10) === tenth).length;
    expect(count).toBeGreaterThan(60);
    expect(count).toBeLessThan(140);
  }
});
