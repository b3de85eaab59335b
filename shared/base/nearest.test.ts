import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean, editDistance, nearest } from './nearest.ts';

describe('nearest', () => {
  test.each([
    ['InstanceType', ['instanceType', 'zone'], 'instanceType'],
    ['teh', ['the', 'tea'], 'the'],
    ['standard_nc12s_v4', ['Standard_NC12s_v3', 'Standard_NC24s_v3'], 'Standard_NC12s_v3'],
    ['quite-different', ['cpu', 'memory'], undefined],
    ['', ['a'], undefined],
    ['x'.repeat(500), ['x'.repeat(499)], undefined],
  ])('for %j among %j it is %j', (written, known, expected) => {
    expect(nearest(written, known)).toBe(expected);
  });

  test('a hint is empty when nothing is near', () => {
    expect(didYouMean('regoin', ['region'])).toBe('; did you mean "region"?');
    expect(didYouMean('abc', ['something-else'])).toBe('');
    expect(didYouMean('region', ['region', 'regions'])).toBe('');
  });
});

describe('edit distance', () => {
  const word = fc.string({ maxLength: 12 });
  test('is zero exactly for equal texts, symmetric, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });

  test('with a limit is the smaller of distance and limit', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 14 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b), limit));
      }),
    );
  });
});
