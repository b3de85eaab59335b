import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../../base/defined.ts';
import {
  compatible,
  intersect,
  labelsFrom,
  parseRequirements,
  type Requirements,
  requirementsFromLabels,
} from './requirements.ts';
import { type Requirement, requirementOperators } from './types.ts';
import { has, overlaps } from './value-set.ts';

const parsed = (...written: Requirement[]): Requirements => {
  const result = parseRequirements(written);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

describe('parsing', () => {
  test('folds several requirements on one label, and the old names of a label, into one', () => {
    const requirements = parsed(
      { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
      { key: 'kubernetes.io/arch', operator: 'NotIn', values: ['arm64'] },
      { key: 'failure-domain.beta.kubernetes.io/zone', operator: 'Exists' },
    );
    expect([...requirements.keys()]).toEqual(['kubernetes.io/arch', 'topology.kubernetes.io/zone']);
    expect(labelsFrom(requirements)).toEqual({ 'kubernetes.io/arch': 'amd64' });
  });

  test.each<[string, Requirement, string, RegExp]>([
    ['an unknown operator', { key: 'a', operator: 'NotEqual' }, '.operator', /use one of In, NotIn, Exists/],
    ['an operator with a typing mistake', { key: 'a', operator: 'Exist' }, '.operator', /did you mean "Exists"/],
    ['In without values', { key: 'a', operator: 'In', values: [] }, '.values', /at least one value/],
    [
      'Gt with two values',
      { key: 'a', operator: 'Gt', values: ['1', '2'] },
      '.values',
      /exactly one non-negative whole number/,
    ],
    [
      'Lt with a text',
      { key: 'a', operator: 'Lt', values: ['many'] },
      '.values',
      /"many".*exactly one non-negative whole number/,
    ],
    [
      'Gte with a fraction',
      { key: 'a', operator: 'Gte', values: ['1.5'] },
      '.values',
      /exactly one non-negative whole number/,
    ],
    ['Lte below zero', { key: 'a', operator: 'Lte', values: ['-1'] }, '.values', /non-negative/],
    ['minValues of 0', { key: 'a', operator: 'Exists', minValues: 0 }, '.minValues', /from 1 to 50/],
    ['minValues of 51', { key: 'a', operator: 'Exists', minValues: 51 }, '.minValues', /from 1 to 50/],
    ['minValues of 1.5', { key: 'a', operator: 'Exists', minValues: 1.5 }, '.minValues', /from 1 to 50/],
    [
      'fewer values than minValues',
      { key: 'a', operator: 'In', values: ['x', 'x'], minValues: 2 },
      '.values',
      /1 different values/,
    ],
    [
      'a bad key',
      { key: 'kubernetes.io/arch!', operator: 'Exists' },
      '.key',
      /not a label key.*did you mean "kubernetes.io\/arch"/,
    ],
    ['a bad domain', { key: 'Example.com/a', operator: 'Exists' }, '.key', /lowercase DNS name/],
    ['an empty key', { key: '', operator: 'Exists' }, '.key', /not a label key/],
    ['a bad value', { key: 'a', operator: 'In', values: ['ok', '-no'] }, '.values[1]', /not a label value/],
  ])('refuses %s and says where', (_, requirement, path, message) => {
    const result = parseRequirements([{ key: 'fine', operator: 'Exists' }, requirement]);
    const suggestion = /did you mean "([^"]+)"/.exec(message.source.replaceAll('\\', ''))?.[1];
    expect(result).toEqual({
      ok: false,
      problems: expect.arrayContaining([
        { path: `spec.requirements[1]${path}`, message: expect.stringMatching(message), ...defined({ suggestion }) },
      ]),
    });
  });

  test('takes what Karpenter takes: NotIn without values, and Exists and DoesNotExist with some', () => {
    const requirements = parsed(
      { key: 'a', operator: 'NotIn' },
      { key: 'b', operator: 'Exists', values: ['x'] },
      { key: 'c', operator: 'DoesNotExist', values: ['x'] },
    );
    expect(has(requirements.get('a')!, undefined)).toBe(true);
    expect(has(requirements.get('b')!, 'y')).toBe(true);
    expect(has(requirements.get('c')!, 'x')).toBe(false);
  });

  test('refuses more than 100 requirements', () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ key: `k${index}`, operator: 'Exists' }));
    expect(parseRequirements(many.slice(1)).ok).toBe(true);
    expect(parseRequirements(many)).toMatchObject({ ok: false, problems: [{ path: 'spec.requirements' }] });
  });

  test('never throws, whatever texts stand in it', () => {
    const text = fc.oneof(
      fc.array(fc.nat({ max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
      fc.constantFrom('__proto__', 'constructor', ...requirementOperators),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ key: text, operator: text, values: fc.array(text, { maxLength: 3 }), minValues: fc.double() }),
        ),
        (written) => {
          const result = parseRequirements(written);
          expect(result.ok || result.problems.length > 0).toBe(true);
        },
      ),
    );
  });
});

describe('compatibility', () => {
  const machine = requirementsFromLabels({ 'kubernetes.io/arch': 'amd64', 'example.com/gpus': '4' });

  test.each<[string, Requirement, boolean]>([
    ['a label that fits', { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }, true],
    ['a label that does not fit', { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }, false],
    ['a number in bounds', { key: 'example.com/gpus', operator: 'Gt', values: ['3'] }, true],
    ['a number out of bounds', { key: 'example.com/gpus', operator: 'Gt', values: ['4'] }, false],
    ['a bound on a text', { key: 'kubernetes.io/arch', operator: 'Gte', values: ['0'] }, false],
    ['a label nobody defines', { key: 'example.com/gpu', operator: 'Exists' }, false],
    ['a label nobody defines that must not exist', { key: 'nobody', operator: 'DoesNotExist' }, true],
    ['a label nobody defines that must not be x', { key: 'nobody', operator: 'NotIn', values: ['x'] }, true],
  ])('%s', (_, requirement, fits) => {
    expect(compatible(machine, parsed(requirement)).ok).toBe(fits);
  });

  test('the reason names label, wish and fact, and the nearest label', () => {
    expect(compatible(machine, parsed({ key: 'kubernetes.io/arch', operator: 'NotIn', values: ['amd64'] }))).toEqual({
      ok: false,
      key: 'kubernetes.io/arch',
      reason: 'kubernetes.io/arch NotIn [amd64] is required, but the value is In [amd64]',
    });
    expect(compatible(machine, parsed({ key: 'example.com/gpu', operator: 'Exists' }))).toMatchObject({
      reason: expect.stringContaining('did you mean "example.com/gpus"?'),
    });
  });

  test('a label that is open may still get its value', () => {
    const own = parsed({ key: 'team', operator: 'In', values: ['a'] });
    expect(compatible(machine, own, (key) => key === 'team').ok).toBe(true);
    expect(compatible(machine, own, (key) => key === 'other').ok).toBe(false);
  });

  test('agrees with the sets of both, label by label', () => {
    const key = fc.constantFrom('k1', 'k2', 'k3');
    const some = fc
      .array(
        fc.record({
          key,
          operator: fc.constantFrom('In', 'NotIn'),
          values: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
        }),
        { maxLength: 4 },
      )
      .map((written) => parsed(...written));
    fc.assert(
      fc.property(some, some, (a, b) => {
        const both = intersect(a, b);
        for (const [name, set] of both) {
          for (const one of ['a', 'b', 'c', 'd', undefined]) {
            const inA = a.get(name);
            const inB = b.get(name);
            expect(has(set, one)).toBe((inA === undefined || has(inA, one)) && (inB === undefined || has(inB, one)));
          }
        }
        const everyLabelMeets = [...b].every(([name, set]) => {
          const offer = a.get(name);
          return offer === undefined ? true : overlaps(offer, set);
        });
        expect(compatible(a, b, () => true).ok).toBe(everyLabelMeets);
      }),
    );
  });
});
