import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { differencesOf } from './differences.ts';

const cases: readonly [what: string, wanted: JsonObject, found: JsonObject, fields: readonly string[]][] = [
  ['the same', { a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'x', d: 2 }, e: 3 }, []],
  ['another value', { a: 1, b: { c: 'x' } }, { a: 2, b: { c: 'y' } }, ['a', 'b.c']],
  ['what is not told', { a: 1, b: { c: 'x' } }, { b: {} }, []],
  [
    'words and locations in the spelling of Azure',
    { location: 'westeurope', sku: 'base' },
    { location: 'West Europe', sku: 'Base' },
    [],
  ],
  ['the patch of a minor version', { kubernetesVersion: '1.35' }, { kubernetesVersion: '1.35.4' }, []],
  ['another minor version', { kubernetesVersion: '1.3' }, { kubernetesVersion: '1.35.4' }, ['kubernetesVersion']],
  ['a count that its autoscaler moves', { enableAutoScaling: true, count: 1 }, { count: 3 }, []],
  ['a count that somebody has moved', { enableAutoScaling: false, count: 1 }, { count: 3 }, ['count']],
  ['lists in another order', { zones: ['1', '2'] }, { zones: ['2', '1'] }, []],
  ['another list', { zones: ['1', '2'] }, { zones: ['2'] }, ['zones']],
  [
    'things with names, by their names',
    {
      pools: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
      ],
    },
    {
      pools: [
        { name: 'B', size: 3 },
        { name: 'a', size: 1 },
      ],
    },
    ['pools[b].size'],
  ],
  ['a thing that is missing', { pools: [{ name: 'a' }] }, { pools: [] }, ['pools[a]']],
  [
    'whose it is',
    { owner: { name: 'a' }, operatorSpec: { x: 1 } },
    { owner: { name: 'b' }, operatorSpec: { x: 2 } },
    [],
  ],
  ['another shape', { a: { b: 1 }, c: 1, d: [1] }, { a: 1, c: { b: 1 }, d: 1 }, []],
];

describe('differences', () => {
  it.each(cases)('of %s', (_, wanted, found, fields) => {
    expect(differencesOf(wanted, [found]).map(({ field }) => field)).toEqual(fields);
  });

  it('of a field are told once, by the first that knows', () => {
    expect(differencesOf({ a: 1 }, [{ a: 2 }, { a: 3 }])).toEqual([{ field: 'a', wanted: '1', found: '2' }]);
  });
});
