import { expect, it } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { tidy } from './tidy.ts';

const parts = (expired: number, secondsPerSweep = 1) => {
  const clock = manualClock();
  const purged: number[] = [];
  return {
    clock,
    purged,
    left: () => expired,
    sweep: async (limit: number) => {
      const removed = Math.min(limit, expired);
      expired -= removed;
      clock.advance(secondsPerSweep * 1000);
      return removed;
    },
    purge: async (before: number) => {
      purged.push(before);
      return 3;
    },
    retentionSeconds: 60,
  };
};

it('removes everything that has expired, however much it is', async () => {
  const many = parts(23_456);
  const now = many.clock.now();
  expect(await tidy(many)).toEqual({ entries: 23_456, histories: 3 });
  expect(many.left()).toBe(0);
  expect(many.purged).toEqual([now - 60_000]);
});

it('leaves the rest to the next round when it takes long', async () => {
  const slow = parts(1_000_000, 100);
  expect(await tidy(slow)).toEqual({ entries: 15_000, histories: 3 });
});

it('does the one when the other fails, and fails then', async () => {
  const noState = { ...parts(0), sweep: () => Promise.reject(new Error('the table is away')) };
  await expect(tidy(noState)).rejects.toThrow('the table is away');
  expect(noState.purged).toHaveLength(1);
  const noHub = { ...parts(7000), purge: () => Promise.reject(new Error('the hub is away')) };
  await expect(tidy(noHub)).rejects.toThrow('the hub is away');
  expect(noHub.left()).toBe(0);
});
