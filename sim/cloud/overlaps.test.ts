import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from './instance.ts';
import { findOverlaps } from './overlaps.ts';

const anEntry = (id: string, createdAt: number, goneAt: number | null, claimUid: string | null = 'c'): LedgerEntry => ({
  seq: 1,
  id,
  name: id,
  token: null,
  tags: {},
  claimUid,
  attempt: 1,
  instanceType: 'general-small',
  zone: 'zone-a',
  capacityType: 'spot',
  price: 1,
  createdAt,
  runningAt: null,
  deletingAt: null,
  goneAt,
  whyGone: goneAt === null ? null : 'deleted',
});

describe('findOverlaps', () => {
  test('finds nothing where one goes before, or when, the next comes', () => {
    expect(findOverlaps([anEntry('a', 1, 5), anEntry('b', 5, 9), anEntry('c', 10, null)])).toEqual([]);
  });

  test('finds two that were alive at once, and says when', () => {
    expect(findOverlaps([anEntry('a', 1, 5), anEntry('b', 4, 9)])).toEqual([
      { claimUid: 'c', instances: ['a', 'b'], from: 4, until: 5 },
    ]);
  });

  test('finds two that are alive now', () => {
    expect(findOverlaps([anEntry('a', 1, null), anEntry('b', 4, null)])).toMatchObject([{ from: 4, until: null }]);
  });

  test('does not compare different claims, nor what belongs to no claim', () => {
    const entries = [anEntry('a', 1, null, 'c'), anEntry('b', 1, null, 'd'), anEntry('e', 1, null, null)];
    expect(findOverlaps([...entries, anEntry('f', 1, null, null)])).toEqual([]);
  });

  const lives = fc.array(
    fc.record({
      from: fc.integer({ min: 0, max: 30 }),
      length: fc.option(fc.integer({ min: 0, max: 10 })),
      claim: fc.constantFrom('c', 'd'),
    }),
    { maxLength: 8 },
  );
  property.prop([lives])('agrees with comparing every pair', (given) => {
    const entries = given
      .map(({ from, length, claim }, index) => anEntry(`${index}`, from, length === null ? null : from + length, claim))
      .sort((a, b) => a.createdAt - b.createdAt);
    const end = ({ goneAt }: LedgerEntry) => goneAt ?? Number.POSITIVE_INFINITY;
    const pairs = entries.flatMap((one, index) =>
      entries
        .slice(index + 1)
        .filter((other) => one.claimUid === other.claimUid)
        .filter((other) => Math.min(end(one), end(other)) > Math.max(one.createdAt, other.createdAt))
        .map((other) => `${one.id}/${other.id}`),
    );

    expect(
      findOverlaps(entries)
        .map(({ instances }) => instances.join('/'))
        .sort(),
    ).toEqual(pairs.sort());
  });
});
