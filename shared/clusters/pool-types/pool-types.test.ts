import { describe, expect, it } from 'vitest';
import { builtInPoolTypes } from './built-in.ts';
import { withPoolTypes } from './more.ts';
import { retirementOf } from './retirements.ts';

describe('the built-in types', () => {
  it.each([...builtInPoolTypes.values()])(
    '$name accepts its own sizes, uses none that ends, and names what ends',
    (type) => {
      for (const size of type.vmSizes) {
        expect(type.acceptedVmSizes).toContain(size);
        expect(retirementOf(size)).toBeUndefined();
      }
      // The first two are those of years ago.
      for (const size of type.acceptedVmSizes.slice(0, 2)) {
        const { instead } = retirementOf(size) ?? {};
        expect(type.acceptedVmSizes, size).toContain(instead);
      }
      for (const size of type.acceptedVmSizes) expect(size).toMatch(new RegExp(`^Standard_${type.family}`));
    },
  );

  it('taint their nodes only where they are not for everyone', () => {
    expect([...builtInPoolTypes.values()].map(({ taints }) => taints.length)).toEqual([0, 1, 1]);
  });
});

it.each([
  ['Standard_DS3_v2', '2028-05-01', 'Standard_D4s_v5'],
  ['Standard_F4s_v2', '2028-11-15', 'Standard_F4als_v6'],
  ['Standard_B2s', '2028-11-15', 'Standard_D2s_v5'],
  ['Standard_E4s_v3', undefined, 'Standard_E4s_v5'],
])('%s ends on %s, and %s replaces it', (size, on, instead) => {
  expect(retirementOf(size)).toEqual({ ...(on === undefined ? {} : { on }), instead });
});

it('B of the second generation does not end', () => {
  expect(retirementOf('Standard_B2s_v2')).toBeUndefined();
});

describe('types of a platform team', () => {
  const gpu = {
    description: 'GPUs.',
    family: 'NC',
    vmSizes: ['Standard_NC24ads_A100_v4'],
    limits: { cpu: 96, memory: '1Ti' },
  };

  it('come in addition, with the sizes that they use', () => {
    const types = withPoolTypes({ gpu });

    expect(types.ok && [...types.value.keys()]).toEqual(['standard', 'memory-optimized', 'compute-optimized', 'gpu']);
    expect(types.ok && types.value.get('gpu')).toMatchObject({
      acceptedVmSizes: gpu.vmSizes,
      limits: { cpu: '96', memory: '1Ti' },
      taints: [],
    });
  });

  it('can take the place of a built-in one', () => {
    const types = withPoolTypes({ standard: { ...gpu, family: 'D', vmSizes: ['Standard_D8s_v5'] } });

    expect(types.ok && types.value.get('standard')?.vmSizes).toEqual(['Standard_D8s_v5']);
  });

  it('that are wrong are told all at once', () => {
    const types = withPoolTypes({ 'GPU!': gpu, a: { ...gpu, family: 'x', colour: 'red' }, b: null });

    expect(types.ok ? [] : types.problems.map(({ path }) => path).sort()).toEqual(
      expect.arrayContaining(['GPU!', 'a.colour', 'a.family', 'b.description', 'b.family']),
    );
  });

  it.each([null, [], 'x', 7])('%j is no list of types', (more) => {
    expect(withPoolTypes(more).ok).toBe(false);
  });
});
