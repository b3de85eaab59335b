import { describe, expect, test } from 'vitest';
import { ageSince, ageText, perMonthText, priceText } from './values.ts';

const seconds = (count: number): number => count * 1000;

describe('ages', () => {
  test.each<[number, string]>([
    [-5, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [125, '2m5s'],
    [599, '9m59s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 60, '3h1m'],
    [8 * 3600, '8h'],
    [47 * 3600, '47h'],
    [49 * 3600, '2d1h'],
    [8 * 86_400, '8d'],
    [729 * 86_400, '729d'],
    [731 * 86_400, '2y1d'],
  ])('%d seconds are %s', (count, expected) => {
    expect(ageText(seconds(count))).toBe(expected);
  });

  test('what is no time is unknown', () => {
    expect([ageSince(undefined, 0), ageSince('soon', 0)]).toEqual(['unknown', 'unknown']);
  });
});

describe('prices', () => {
  test.each<[number | undefined, string]>([
    [undefined, 'unknown'],
    [0, '$0.000/h'],
    [0.048, '$0.048/h'],
    [0.0232, '$0.0232/h'],
    [0.000_012, '$0.00001/h'],
    [1, '$1.00/h'],
    [32.7726, '$32.77/h'],
    [98_765.4, '$98,765/h'],
  ])('%s an hour is %s', (price, expected) => {
    expect(priceText(price)).toBe(expected);
  });

  test.each<[number | undefined, string]>([
    [undefined, 'unknown'],
    [0.5, '$0.50/month'],
    [16.936, '$16.94/month'],
    [72_098_742, '$72,098,742/month'],
  ])('%s a month is %s', (price, expected) => {
    expect(perMonthText(price)).toBe(expected);
  });
});
