import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noRequirements, parseRequirements } from '../spec/requirements.ts';
import type { CapacityType } from '../spec/well-known.ts';
import { compileCatalog } from './catalog.ts';
import { type InstanceType, offeringKey } from './offerings.ts';
import { byPreference } from './preference.ts';

type Priced = { [key: string]: number | undefined };

/** `{ 'a/z1/spot': 1 }` → a type with its offerings. */
function typesOf(prices: Priced, exotic: readonly string[] = []): InstanceType[] {
  const types = new Map<string, InstanceType>();
  for (const [key, price] of Object.entries(prices)) {
    const [name = '', zone = '', capacityType = ''] = key.split('/');
    const type: InstanceType = types.get(name) ?? {
      name,
      labels: {},
      capacity: { cpu: '1' },
      ...(exotic.includes(name) ? { exotic: true } : {}),
      offerings: [],
    };
    const ref = { instanceType: name, zone, capacityType: capacityType as CapacityType };
    type.offerings.push({ ...ref, price, available: true });
    types.set(name, type);
  }
  return [...types.values()];
}

const order = ['reserved', 'spot', 'on-demand'] as const;

function prefer(
  prices: Priced,
  more: { exotic?: string[]; ordered?: boolean; alternatives?: number; many?: boolean } = {},
) {
  const { ordered = true, alternatives = 59 } = more;
  const wide = parseRequirements([{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 }]);
  const found = byPreference(compileCatalog(typesOf(prices, more.exotic)).offerings, {
    requirements: more.many && wide.ok ? wide.value : noRequirements,
    alternatives,
    ...(ordered ? { capacityTypeOrder: order } : {}),
  });
  const keys = (items: typeof found.candidates) => items.map(({ offering }) => offeringKey(offering));
  return { candidates: keys(found.candidates), alternatives: keys(found.alternatives) };
}

describe('with an order of capacity types', () => {
  const mixed = { 'a/z1/on-demand': 3, 'a/z1/spot': 1, 'b/z1/spot': 2, 'b/z1/reserved': 9, 'c/z1/on-demand': 4 };

  test('the order comes before the price, and the price decides within one', () => {
    expect(prefer(mixed).candidates).toEqual([
      'b/z1/reserved',
      'a/z1/spot',
      'b/z1/spot',
      'a/z1/on-demand',
      'c/z1/on-demand',
    ]);
  });

  test('alternatives are of the capacity type of the best one only', () => {
    const { 'b/z1/reserved': _, ...withoutReserved } = mixed;
    expect(prefer(mixed).alternatives).toEqual([]);
    expect(prefer(withoutReserved).alternatives).toEqual(['b/z1/spot']);
  });

  test('spot that is dearer than the cheapest on-demand is left out, also when nothing of spot is left then', () => {
    expect(prefer({ 'a/z1/on-demand': 3, 'a/z1/spot': 3, 'b/z1/spot': 3.1 }).candidates).toEqual([
      'a/z1/spot',
      'a/z1/on-demand',
    ]);
    expect(prefer({ 'a/z1/on-demand': 3, 'b/z1/spot': 5 }).candidates).toEqual(['a/z1/on-demand']);
  });

  test('nothing is too dear where nobody knows what on-demand costs, or where there is none', () => {
    expect(prefer({ 'a/z1/on-demand': undefined, 'b/z1/spot': 5 }).candidates).toEqual(['b/z1/spot', 'a/z1/on-demand']);
    expect(prefer({ 'b/z1/spot': 5 }).candidates).toEqual(['b/z1/spot']);
    expect(prefer({ 'a/z1/on-demand': 1, 'b/z1/spot': undefined }).candidates[0]).toBe('b/z1/spot');
  });
});

test('without an order the price alone decides, and dear spot stays', () => {
  const found = prefer({ 'a/z1/on-demand': 1, 'b/z1/spot': 2, 'c/z1/on-demand': 3 }, { ordered: false });
  expect(found.candidates).toEqual(['a/z1/on-demand', 'b/z1/spot', 'c/z1/on-demand']);
  expect(found.alternatives).toEqual(['c/z1/on-demand']);
});

describe('exotic types', () => {
  const prices = { 'metal/z1/spot': 0.1, 'a/z1/spot': 1, 'a/z1/on-demand': 2 };

  test('come after all others, and are never asked for beside one of them', () => {
    const found = prefer({ ...prices, 'b/z1/spot': 1.5 }, { exotic: ['metal'] });
    expect(found.candidates).toEqual(['a/z1/spot', 'b/z1/spot', 'a/z1/on-demand', 'metal/z1/spot']);
    expect(found.alternatives).toEqual(['b/z1/spot']);
  });

  test('are taken where nothing else fits', () => {
    const found = prefer({ 'metal/z1/spot': 0.1, 'gpu/z1/spot': 5 }, { exotic: ['metal', 'gpu'] });
    expect(found).toEqual({ candidates: ['metal/z1/spot', 'gpu/z1/spot'], alternatives: ['gpu/z1/spot'] });
  });

  test('count like any other for a claim that asks for many values', () => {
    expect(prefer(prices, { exotic: ['metal'], many: true }).candidates[0]).toBe('metal/z1/spot');
  });

  test('do not make other spot too dear', () => {
    const found = prefer({ 'metal/z1/on-demand': 0.5, 'a/z1/spot': 1, 'a/z1/on-demand': 2 }, { exotic: ['metal'] });
    expect(found.candidates[0]).toBe('a/z1/spot');
  });
});

test('whatever is sold at whatever price: alternatives are other candidates like the best, and no more than wanted', () => {
  const key = fc.tuple(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.constantFrom('z1', 'z2'),
    fc.constantFrom<CapacityType>('reserved', 'spot', 'on-demand'),
  );
  const price = fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, price), { maxLength: 30 }),
      fc.subarray(['a', 'b', 'c', 'd']),
      fc.nat({ max: 5 }),
      fc.boolean(),
      (sold, exotic, alternatives, ordered) => {
        const prices = Object.fromEntries(sold.map(([parts, cost]) => [parts.join('/'), cost]));
        const found = prefer(prices, { exotic, alternatives, ordered });
        expect(new Set(found.candidates).size).toBe(found.candidates.length);
        expect(found.candidates.length > 0).toBe(Object.keys(prices).length > 0);
        const [best = '', ...others] = found.candidates;
        expect(others).toEqual(expect.arrayContaining(found.alternatives));
        expect(found.alternatives.length).toBeLessThanOrEqual(alternatives);
        const kind = (text: string) => `${text.split('/')[2]} ${exotic.includes(text.split('/')[0]!)}`;
        for (const one of found.alternatives) expect(kind(one)).toBe(kind(best));
      },
    ),
  );
});
