import { describe, expect, it } from 'vitest';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import { resolveSimNodeClass, selectTypes } from './resolve.ts';

const aType = (name: string, ...zones: string[]): InstanceType => ({
  name,
  labels: {},
  capacity: {},
  offerings: zones.map((zone) => ({
    instanceType: name,
    zone,
    capacityType: 'on-demand' as const,
    price: 1,
    available: true,
  })),
});
const types = [
  aType('general-small', 'zone-a', 'zone-b'),
  aType('general-large', 'zone-b'),
  aType('gpu-small', 'zone-c'),
];

describe('a SimNodeClass', () => {
  it('without selectors resolves to all that the cloud has', () => {
    expect(resolveSimNodeClass({}, types)).toMatchObject({
      ready: true,
      resolved: { image: 'sim-image-1', instanceTypes: 3, zones: ['zone-a', 'zone-b', 'zone-c'] },
    });
  });

  it('resolves to the types and zones that it selects', () => {
    const spec = { zones: ['zone-a', 'zone-b'], instanceTypes: ['general-*'], image: 'mine' };
    expect(resolveSimNodeClass(spec, types).resolved).toEqual({
      image: 'mine',
      instanceTypes: 2,
      zones: ['zone-a', 'zone-b'],
    });
    expect(selectTypes({ zones: ['zone-a'] }, types).map(({ name, offerings }) => [name, offerings.length])).toEqual([
      ['general-small', 1],
    ]);
  });

  it.each([
    ['a zone that does not exist', { zones: ['zone-a', 'zone-x'] }, 'ZonesNotFound', /no zone zone-x.*zone-/],
    ['a type that does not exist', { instanceTypes: ['gpu-smal'] }, 'InstanceTypesNotFound', /gpu-smal.*gpu-small/],
    ['a prefix that nothing has', { instanceTypes: ['arm-*'] }, 'InstanceTypesNotFound', /arm-\*/],
    [
      'selectors that exclude each other',
      { instanceTypes: ['gpu-small'], zones: ['zone-a'] },
      'NothingSelected',
      /offered/,
    ],
  ])('is not ready for %s, and says so', (_, spec, reason, message) => {
    expect(resolveSimNodeClass(spec, types)).toMatchObject({
      ready: false,
      reason,
      message: expect.stringMatching(message),
    });
  });

  it('makes other machines when image, boot time, tags or user data change, and not when selectors do', () => {
    const hash = (spec: Parameters<typeof resolveSimNodeClass>[0]) => resolveSimNodeClass(spec, types).hash;
    expect(hash({ image: 'other' })).not.toBe(hash({}));
    expect(hash({ userData: 'x' })).not.toBe(hash({}));
    expect(hash({ tags: { a: 'b' } })).not.toBe(hash({}));
    expect(hash({ image: 'sim-image-1', zones: ['zone-a'] })).toBe(hash({}));
  });
});
