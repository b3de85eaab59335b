import { expect, test } from 'vitest';
import { manualClock } from '../../../base/runtime.ts';
import { SeenGone } from './seen-gone.ts';

test('a pool that was seen gone is gone for its claim, and for a moment only', () => {
  const clock = manualClock();
  const gone = new SeenGone(clock, 5);

  gone.note('ws1', 'uid-1');

  expect(gone.has('ws1', 'uid-1')).toBe(true);
  expect(gone.has('ws1', 'uid-2')).toBe(false);
  expect(gone.has('ws2', 'uid-1')).toBe(false);
  clock.advance(2000);
  expect(gone.has('ws1', 'uid-1')).toBe(false);
});

test('a write makes it unknown', () => {
  const gone = new SeenGone(manualClock(), 5);
  gone.note('ws1', 'uid-1');

  gone.forget('ws1');

  expect(gone.has('ws1', 'uid-1')).toBe(false);
});

test('where nothing may lag, nothing is remembered', () => {
  const gone = new SeenGone(manualClock(), 0);
  gone.note('ws1', 'uid-1');

  expect(gone.has('ws1', 'uid-1')).toBe(false);
});
