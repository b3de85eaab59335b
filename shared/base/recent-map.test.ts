import { expect, test } from 'vitest';
import { RecentMap } from './recent-map.ts';
import { manualClock } from './runtime.ts';

test('for a new entry, the one goes that was not asked for or set for the longest time', () => {
  const map = new RecentMap<string, number>({ max: 2 });
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([...map.entries()]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
  map.set('a', 4);
  map.set('d', 5);
  expect([...map.entries()]).toEqual([
    ['a', 4],
    ['d', 5],
  ]);
});

test('looking whether it is there does not keep an entry', () => {
  const map = new RecentMap<string, number>({ max: 1 });
  map.set('a', 1);
  expect(map.has('a')).toBe(true);
  map.set('b', 2);
  expect(map.has('a')).toBe(false);
  expect(map.get('a')).toBeUndefined();
  expect(map.size).toBe(1);
});

test('an entry is forgotten after its time, which begins anew when it is set', () => {
  const clock = manualClock();
  const map = new RecentMap<string, true>({ max: 9, forget: { afterMs: 1000, now: () => clock.now() } });
  map.set('a', true);
  clock.advance(900);
  expect(map.get('a')).toBe(true);
  clock.advance(101);
  expect(map.has('a')).toBe(false);
  expect(map.size).toBe(0);
  map.set('a', true);
  clock.advance(1000);
  expect(map.has('a')).toBe(true);
});

test('what leaves the map is disposed of, once', () => {
  const gone: number[] = [];
  const map = new RecentMap<string, number>({ max: 2, dispose: (value) => gone.push(value) });
  map.set('a', 1);
  map.set('a', 1);
  map.set('a', 2);
  map.set('b', 3);
  map.set('c', 4);
  map.delete('b');
  map.delete('b');
  map.clear();
  expect(gone).toEqual([1, 2, 3, 4]);
});
