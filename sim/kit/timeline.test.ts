import { expect, test, vi } from 'vitest';
import { manualClock } from '../../shared/base/runtime.ts';
import { Timeline } from './timeline.ts';

test('what is due happens in the order of its time, and each sees the time for which it was planned', () => {
  const clock = manualClock(0);
  const timeline = new Timeline(clock, false);
  const seen: [string, number][] = [];
  timeline.plan(20, () => {
    seen.push(['second', timeline.now]);
    // Planned by what happens, and due as well.
    timeline.plan(30, () => seen.push(['third', timeline.now]));
  });
  timeline.plan(10, (at) => seen.push(['first', at]));
  timeline.plan(1000, () => seen.push(['never', 0]));
  timeline.settle();
  expect(seen).toEqual([]);
  clock.advance(500);
  expect(timeline.due).toBe(true);
  timeline.settle();
  expect(seen).toEqual([
    ['first', 10],
    ['second', 20],
    ['third', 30],
  ]);
  expect(timeline.due).toBe(false);
  expect(timeline.now).toBe(500);
});

test('it wakes by itself for what comes next, unless it is closed', () => {
  vi.useFakeTimers();
  try {
    const clock = { now: () => Date.now(), monotonic: () => Date.now() };
    const timeline = new Timeline(clock, true);
    const seen: string[] = [];
    timeline.plan(clock.now() + 100, () => seen.push('late'));
    timeline.plan(clock.now() + 50, () => seen.push('early'));
    timeline.plan(clock.now() + 1000, () => seen.push('never'));
    vi.advanceTimersByTime(60);
    expect(seen).toEqual(['early']);
    vi.advanceTimersByTime(60);
    expect(seen).toEqual(['early', 'late']);
    timeline.close();
    vi.advanceTimersByTime(2000);
    expect(seen).toEqual(['early', 'late']);
  } finally {
    vi.useRealTimers();
  }
});
