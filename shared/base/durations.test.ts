import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSeconds, parseDuration, parseNillableDuration, parseSeconds } from './durations.ts';

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

test('seconds that are printed read back as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (milliseconds) => {
      expect(parseSeconds(formatSeconds(milliseconds / 1000))).toBe(milliseconds / 1000);
    }),
  );
});

test.each(['', 's', '-1s', '1x', '1s 2m', 'Infinity', '1e3', Number.NaN, -1])('%j is no number of seconds', (text) => {
  expect(parseSeconds(text)).toBeUndefined();
});

test.each([
  [0, '0s'],
  [1.5, '1s500ms'],
  [5400, '1h30m'],
  [172_800, '2d'],
])('%s seconds are written %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
  expect(parseSeconds(text)).toBe(seconds);
});
