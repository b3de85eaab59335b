import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantity } from './quantities.ts';
import {
  addResources,
  fits,
  formatResources,
  missingResources,
  noResources,
  parseResources,
  type Resources,
  subtractResources,
} from './resources.ts';

const resources = (list: Record<string, string | number>): Resources => {
  const parsed = parseResources(list);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
};

describe('resource lists', () => {
  test('are read and written in canonical form', () => {
    expect(formatResources(resources({ cpu: '1000m', memory: '1024Mi', pods: 110 }))).toEqual({
      cpu: '1',
      memory: '1Gi',
      pods: '110',
    });
    expect(parseResources(undefined)).toEqual({ ok: true, value: noResources });
  });

  test('a bad entry is named', () => {
    expect(parseResources({ cpu: '1', memory: '1 Gi', gpu: '-1' })).toEqual({
      ok: false,
      problems: [
        { path: 'spec.resources.requests["memory"]', message: expect.stringContaining('"1 Gi" is not a quantity') },
        { path: 'spec.resources.requests["gpu"]', message: '"-1" is negative' },
      ],
    });
  });

  test('a resource with an odd name is a resource, nothing else', () => {
    const list = JSON.parse('{"__proto__": "1", "constructor": "2"}') as Record<string, string>;
    expect([...resources(list).keys()]).toEqual(['__proto__', 'constructor']);
  });

  test('add and subtract count what is not there as zero', () => {
    const sum = addResources(resources({ cpu: '1' }), resources({ cpu: '500m', memory: '1Gi' }));
    expect(formatResources(sum)).toEqual({ cpu: '1500m', memory: '1Gi' });
    expect(formatResources(subtractResources(resources({ cpu: '1' }), sum))).toEqual({ cpu: '-500m', memory: '-1Gi' });
  });

  test('what is missing says how much was wanted and how much there is', () => {
    const missing = missingResources(resources({ cpu: '2', 'nvidia.com/gpu': '8' }), resources({ cpu: '4' }));
    expect(missing.map((one) => one.reason)).toEqual(['nvidia.com/gpu: 8 requested, 0 available']);
  });

  test('requests fit exactly when nothing is missing, and when nothing is negative after subtraction', () => {
    const any = fc
      .dictionary(fc.constantFrom('cpu', 'memory', 'gpu'), fc.nat({ max: 5 }))
      .map((list): Resources => new Map(Object.entries(list).map(([name, count]) => [name, quantity(count)])));
    fc.assert(
      fc.property(any, any, (requests, available) => {
        const left = [...subtractResources(available, requests).values()];
        expect(fits(requests, available)).toBe(left.every((value) => value.nanos >= 0n));
        expect(fits(requests, available)).toBe(missingResources(requests, available).length === 0);
      }),
    );
  });
});
