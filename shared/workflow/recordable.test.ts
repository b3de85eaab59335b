import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { record } from './recordable.ts';

describe('what may be recorded', () => {
  it('is any JSON, and it reads back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const recorded = record(value, 'it', 1e6);
        // JSON itself has no negative zero.
        expect(recorded).toMatchObject({ ok: true, value: JSON.parse(JSON.stringify(value)) });
      }),
    );
  });

  it('drops properties that are undefined', () => {
    expect(record({ a: 1, b: undefined }, 'it', 100)).toMatchObject({ ok: true, value: { a: 1 }, text: '{"a":1}' });
  });

  const loop: { self?: object } = {};
  loop.self = loop;
  it.each([
    ['undefined', undefined, 'undefined'],
    ['a hole in a list', [undefined], 'undefined'],
    ['a date', { at: new Date(0) }, 'a Date'],
    ['a map', new Map(), 'a Map'],
    ['infinity', [Number.POSITIVE_INFINITY], 'Infinity'],
    ['a bigint', { n: 1n }, 'bigint'],
    ['a function', () => 1, 'function'],
    ['itself', loop, 'itself'],
  ])('is not %s', (_title, value, named) => {
    expect(record(value, 'the answer', 100)).toEqual({
      ok: false,
      error: expect.stringMatching(new RegExp(`^the answer is not JSON: it contains .*${named}`)),
    });
  });

  it('is not longer than the limit, counted in bytes', () => {
    expect(record('ää', 'it', 6).ok).toBe(true);
    expect(record('ää', 'it', 5)).toEqual({ ok: false, error: 'it is too large: 6 bytes, the limit is 5' });
  });
});
