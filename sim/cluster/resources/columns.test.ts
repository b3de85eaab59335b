import { expect, test } from 'vitest';
import { ageOf } from '../duration.ts';
import { readJsonPath } from '../json-path.ts';

const start = '2026-01-01T00:00:00Z';
const after = (seconds: number) => Date.parse(start) + seconds * 1000;
const [minute, hour, day] = [60, 3600, 86_400];

test.each([
  [0, '0s'],
  [119, '119s'],
  [2 * minute, '2m'],
  [5 * minute + 7, '5m7s'],
  [10 * minute + 7, '10m'],
  [179 * minute, '179m'],
  [3 * hour + 5 * minute, '3h5m'],
  [47 * hour, '47h'],
  [2 * day + hour, '2d1h'],
  [9 * day + hour, '9d'],
  [3 * 365 * day + 2 * day, '3y2d'],
  [-5, '<invalid>'],
])('%i seconds are shown as %s', (seconds, shown) => {
  expect(ageOf(start, after(seconds))).toBe(shown);
});

const object = {
  metadata: { labels: { 'a.b/c': 'label' } },
  status: {
    conditions: [
      { type: 'Other', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
    list: [1, 2],
  },
};

test.each([
  ['.metadata.labels.a\\.b/c', ['label']],
  [".metadata.labels['a.b/c']", ['label']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.status.conditions[?(@.type!="Ready")].status', ['False']],
  ['.status.conditions[*].type', ['Other', 'Ready']],
  ['.status.list[1]', [2]],
  ['.status.list[9]', []],
  ['.nothing.here', []],
])('the path %s', (path, expected) => {
  expect(readJsonPath(object, path)).toEqual(expected);
});
