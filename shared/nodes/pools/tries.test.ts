import { describe, expect, it } from 'vitest';
import { defined } from '../../base/defined.ts';
import type { PoolClaim } from '../disruption/types.ts';
import { failedRounds, nextTries, type Tries, waitUntil } from './tries.ts';

const start = Date.UTC(2026, 0, 1);
const pauses = { firstSeconds: 1, maxSeconds: 300, random: () => 1 };
const aClaim = (createdAt: number, initializedAt?: number): PoolClaim => ({
  name: 'c',
  uid: 'u',
  createdAt,
  deleting: false,
  launched: true,
  initialized: initializedAt !== undefined,
  ...defined({ initializedAt }),
  nodeReady: initializedAt !== undefined,
  doNotDisrupt: false,
});

function roundsInVain(count: number): Tries[] {
  const tries: Tries[] = [];
  let before: Tries | undefined;
  for (let round = 0; round < count; round++) {
    const now = before?.notBefore ?? start;
    before = nextTries({ before, generation: 1, claims: [], now }, pauses);
    tries.push(before);
  }
  return tries;
}

describe('the pauses of a pool', () => {
  it('grow while no round leads to a node, up to the longest', () => {
    const seconds = roundsInVain(12).map(({ at, notBefore }) => (notBefore - at) / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('end when a claim has become ready since the last round, and not for one that was ready before', () => {
    const before = roundsInVain(5).at(-1)!;
    const question = { before, generation: 1, now: before.at + 10 };
    const old = aClaim(before.at - 9000, before.at - 5000);
    expect(failedRounds({ ...question, claims: [old, aClaim(before.at)] })).toBe(5);
    expect(waitUntil({ ...question, claims: [old] })).toBe(before.notBefore);
    expect(failedRounds({ ...question, claims: [aClaim(before.at, before.at)] })).toBe(0);
    expect(waitUntil({ ...question, claims: [aClaim(before.at, before.at)] })).toBeUndefined();
  });

  it.each([-3600, 3600])('do not depend on the clock of the API server: %i seconds apart', (seconds) => {
    const before = roundsInVain(5).at(-1)!;
    const question = { before, generation: 1, now: before.at + 10 };
    const createdAt = before.at + seconds * 1000;
    expect(failedRounds({ ...question, claims: [aClaim(createdAt, before.at - 5000)] })).toBe(5);
    expect(failedRounds({ ...question, claims: [aClaim(createdAt, before.at + 5000)] })).toBe(0);
  });

  it('end when the pool is changed, and pass with the time', () => {
    const before = roundsInVain(5).at(-1)!;
    expect(waitUntil({ before, generation: 2, claims: [], now: before.at })).toBeUndefined();
    expect(waitUntil({ before, generation: 1, claims: [], now: before.notBefore })).toBeUndefined();
    expect(waitUntil({ before: undefined, generation: 1, claims: [], now: start })).toBeUndefined();
  });
});
