import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration, parseNillableDuration } from './durations.ts';

test.each([
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['720h', 2_592_000_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['2.s', 2000],
  ['1m30s', 90_000],
  ['100ms', 100],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['0', 0],
  ['0s', 0],
])('%s is %s milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toEqual({ ok: true, milliseconds });
});

test.each(['', '15', 'm', '-1m', '1d', '1h 30m', 'Never', '1e3s', '.s', '9999999999h', '1m'.repeat(40)])(
  '%j is refused',
  (text) => {
    expect(parseDuration(text)).toMatchObject({ ok: false, message: expect.stringContaining('"') });
  },
);

test('Never is allowed where a field can be switched off', () => {
  expect(parseNillableDuration('Never')).toEqual({ ok: true, milliseconds: 'Never' });
  expect(parseNillableDuration('1s')).toEqual({ ok: true, milliseconds: 1000 });
  expect(parseNillableDuration('never').ok).toBe(false);
});

test('a duration that was written reads back', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e12 }), (milliseconds) => {
      expect(parseDuration(formatDuration(milliseconds))).toEqual({
        ok: true,
        milliseconds: expect.closeTo(milliseconds, 3),
      });
    }),
  );
});

test.each([
  [0, '0s'],
  [1500, '1.5s'],
  [5_400_000, '1h30m'],
])('%s milliseconds are written %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
