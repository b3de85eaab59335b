/**
 * What every part needs from the outside world, handed in so that tests decide it: the time, fresh ids, chance.
 * Nothing else in the product calls Date.now, Math.random or randomUUID.
 */
import { nodeCrypto } from './node-modules.ts';

/** Milliseconds since the epoch, and a monotonic reading for measuring spans (it never jumps when the clock is set). */
export interface Clock {
  now(): number;
  monotonic(): number;
}

/** Fresh, unguessable, URL-safe ids. */
export interface Ids {
  next(): string;
}

/** A number in [0, 1). */
export type Random = () => number;

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

const idBytes = 12;
/** Chance is fetched for many ids at once: every fetch is a call to the system. */
const chance = Buffer.alloc(idBytes * 256);
let spent = chance.length;

export const systemIds: Ids = {
  next: () => {
    if (spent === chance.length) {
      nodeCrypto().randomFillSync(chance);
      spent = 0;
    }
    spent += idBytes;
    return chance.toString('base64url', spent - idBytes, spent);
  },
};

export const systemRandom: Random = () => Math.random();

/** A clock for tests: it stands still until it is moved. */
export function manualClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(milliseconds: number): void } {
  let at = start;
  return {
    now: () => at,
    monotonic: () => at - start,
    advance: (milliseconds) => {
      at += milliseconds;
    },
  };
}

/** Small seeded generator (mulberry32): the same seed gives the same run. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Ids that count up: `prefix-1`, `prefix-2`, … */
export function countingIds(prefix = 'id'): Ids {
  let count = 0;
  return { next: () => `${prefix}-${++count}` };
}
