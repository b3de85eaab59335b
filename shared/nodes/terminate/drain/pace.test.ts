import { expect, it } from 'vitest';
import { pauseSeconds } from './pace.ts';

const never = Number.POSITIVE_INFINITY;

it.each([
  ['begins quickly', { idle: 0, leaving: false, nextAt: never }, 0.5],
  ['is patient with what does not move', { idle: 50, leaving: false, nextAt: never }, 15],
  ['stays close to what moves', { idle: 50, leaving: true, nextAt: never }, 2],
  ['is there when something is due', { idle: 50, leaving: false, nextAt: 4_000 }, 3],
  ['never spins on what is overdue', { idle: 50, leaving: false, nextAt: 0 }, 0.05],
])('a drain %s', (_, given, expected) => expect(pauseSeconds({ ...given, now: 1_000 })).toBe(expected));
