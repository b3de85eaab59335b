import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RequirementOperator, requirementOperators } from './types.ts';
import {
  anything,
  describeSet,
  has,
  intersectAll,
  intersectSets,
  isEmpty,
  needsLabel,
  overlaps,
  singleValue,
  toInteger,
  type ValueSet,
  valueSet,
} from './value-set.ts';

// A small world of values, with numbers among them, so that sets meet often.
const value = fc.constantFrom('a', 'b', 'c', '0', '1', '2', '3', '007', '9007199254740993');
const probe = fc.option(fc.oneof(value, fc.constantFrom('z', '5', '-1', '9223372036854775808')), { nil: undefined });
const operator: fc.Arbitrary<RequirementOperator> = fc.constantFrom(...requirementOperators);
const basicSet: fc.Arbitrary<ValueSet> = fc
  .tuple(
    operator,
    fc.uniqueArray(value, { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 0, max: 4 }),
    fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  )
  .map(([name, values, bound, minValues]) => {
    const bounded = name.startsWith('G') || name.startsWith('L');
    return valueSet(name, bounded ? [String(bound)] : values, minValues);
  });
const anySet = fc.array(basicSet, { minLength: 1, maxLength: 3 }).map((sets) => sets.reduce(intersectSets));

test('sets taken all at once leave what they leave in pairs', () => {
  fc.assert(
    fc.property(fc.array(anySet, { minLength: 1, maxLength: 6 }), (sets) => {
      expect(intersectAll(sets)).toEqual(sets.reduce(intersectSets, anything));
    }),
  );
});

describe('the set of an operator', () => {
  test.each<[RequirementOperator, string[], (string | undefined)[], (string | undefined)[]]>([
    ['In', ['a', 'b'], ['a', 'b'], ['c', undefined]],
    ['NotIn', ['a'], ['b', '1', undefined], ['a']],
    ['Exists', [], ['a', ''], [undefined]],
    ['DoesNotExist', [], [undefined], ['a']],
    ['Gt', ['2'], ['3', '003', '999'], ['2', 'a', '3.5', '', undefined]],
    ['Gte', ['2'], ['2', '3'], ['1', undefined]],
    ['Lt', ['2'], ['1', '0'], ['2', 'a', undefined]],
    ['Lte', ['2'], ['2'], ['3', '99999999999999999999', undefined]],
  ])('%s %j', (name, values, inside, outside) => {
    const set = valueSet(name, values);
    expect(inside.filter((one) => !has(set, one))).toEqual([]);
    expect(outside.filter((one) => has(set, one))).toEqual([]);
    expect(needsLabel(set)).toBe(!has(set, undefined));
  });
});

describe('intersection', () => {
  test('holds exactly what both hold', () => {
    fc.assert(
      fc.property(anySet, anySet, probe, (a, b, one) => {
        expect(has(intersectSets(a, b), one)).toBe(has(a, one) && has(b, one));
      }),
    );
  });

  test('is commutative, associative and idempotent, and anything changes nothing', () => {
    fc.assert(
      fc.property(anySet, anySet, anySet, (a, b, c) => {
        expect(intersectSets(a, b)).toEqual(intersectSets(b, a));
        expect(intersectSets(intersectSets(a, b), c)).toEqual(intersectSets(a, intersectSets(b, c)));
        expect(intersectSets(a, a)).toEqual(a);
        expect(intersectSets(anything, a)).toEqual(a);
      }),
    );
  });

  test('overlaps says whether it is empty', () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        expect(overlaps(a, b)).toBe(!isEmpty(intersectSets(a, b)));
      }),
    );
  });

  test('two lists without a common value leave nothing, not even absence', () => {
    const left = intersectSets(valueSet('In', ['a']), valueSet('In', ['b']));
    expect(isEmpty(left)).toBe(true);
    expect(overlaps(left, valueSet('DoesNotExist'))).toBe(false);
  });

  test('what may be absent on both sides may be absent', () => {
    expect(overlaps(valueSet('NotIn', ['a']), valueSet('DoesNotExist'))).toBe(true);
  });

  test('bounds that cross leave nothing', () => {
    expect(isEmpty(intersectSets(valueSet('Gt', ['5']), valueSet('Lt', ['6'])))).toBe(true);
    expect(isEmpty(intersectSets(valueSet('Gte', ['5']), valueSet('Lte', ['5'])))).toBe(false);
  });

  test('the larger minValues counts', () => {
    expect(intersectSets(valueSet('Exists', [], 3), valueSet('In', ['a'], 1)).minValues).toBe(3);
    expect(intersectSets(valueSet('Exists'), valueSet('In', ['a'], 1)).minValues).toBe(1);
  });
});

test('a single value is one that is forced', () => {
  expect(singleValue(valueSet('In', ['a']))).toBe('a');
  expect(singleValue(valueSet('In', ['a', 'b']))).toBeUndefined();
  expect(singleValue(valueSet('NotIn', ['a']))).toBeUndefined();
  expect(singleValue(valueSet('DoesNotExist'))).toBeUndefined();
});

test.each<[string, ValueSet]>([
  ['In [a, b]', valueSet('In', ['a', 'b'])],
  ['In [1, 2, 3, 4, 5 and 2 more]', valueSet('In', ['1', '2', '3', '4', '5', '6', '7'])],
  ['NotIn [a]', valueSet('NotIn', ['a'])],
  ['Exists', valueSet('Exists')],
  ['DoesNotExist', valueSet('DoesNotExist')],
  [
    'Gte 3 and Lte 6 and NotIn [4]',
    [valueSet('Gt', ['2']), valueSet('Lt', ['7']), valueSet('NotIn', ['4'])].reduce(intersectSets),
  ],
  ['In []', intersectSets(valueSet('In', ['a']), valueSet('In', ['b']))],
  ['anything', anything],
])('is described as %s', (text, set) => {
  expect(describeSet(set)).toBe(text);
});

test('integers are those of int64', () => {
  expect(toInteger('9223372036854775807')).toBe(9223372036854775807n);
  expect(toInteger('9223372036854775808')).toBeUndefined();
  expect(toInteger('+7')).toBe(7n);
  expect(toInteger('-7')).toBe(-7n);
  expect(toInteger('7.0')).toBeUndefined();
  expect(toInteger('')).toBeUndefined();
});
