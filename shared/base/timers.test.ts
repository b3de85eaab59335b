import { describe, expect, it } from 'vitest';
import { type Timers, within } from './timers.ts';

function timersByHand() {
  const open: (() => void)[] = [];
  const timers: Timers = {
    after: (_milliseconds, callback) => {
      open.push(callback);
      return () => void open.splice(open.indexOf(callback), 1);
    },
  };
  return { open, timers };
}

describe('work within a time', () => {
  it('gives its value, and leaves no timer behind', async () => {
    const { open, timers } = timersByHand();
    expect(await within(Promise.resolve('done'), 1000, timers)).toBe('done');
    expect(open).toEqual([]);
  });

  it('fails as it fails, and leaves no timer behind', async () => {
    const { open, timers } = timersByHand();
    await expect(within(Promise.reject(new Error('broken')), 1000, timers)).rejects.toThrow('broken');
    expect(open).toEqual([]);
  });

  it('is undefined when the time is over, and how it ends then harms nobody', async () => {
    const { open, timers } = timersByHand();
    const { promise, reject } = Promise.withResolvers<string>();
    const answer = within(promise, 1000, timers);
    open[0]?.();
    expect(await answer).toBeUndefined();
    reject(new Error('too late'));
    await new Promise(setImmediate);
  });
});
