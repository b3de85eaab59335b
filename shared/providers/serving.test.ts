import { describe, expect, it } from 'vitest';
import type { NodeClassKind, Provider, ServedClaim } from './contract.ts';
import { isSameMachine, machineKey } from './same-machine.ts';
import { kindsOf, servingOf } from './serving.ts';

const kind = (name: string, optional = false): NodeClassKind => ({
  ...{ group: 'g', version: 'v1', kind: name, plural: `${name.toLowerCase()}s` },
  ...(optional ? { optional } : {}),
});
const provider = (name: string, nodeClasses: NodeClassKind[], more: Partial<Provider> = {}): Provider =>
  ({ name, nodeClasses, instanceIds: [{ pattern: '^[^/]*/([^/]*)' }], ...more }) as Partial<Provider> as Provider;
const claim = (more: Partial<ServedClaim> = {}): ServedClaim => ({
  nodeClassRef: { group: 'g', kind: 'Shared', name: 'default' },
  labels: {},
  annotations: {},
  ...more,
});
const namesOf = (providers: Parameters<typeof servingOf>[0], asked: ServedClaim) =>
  servingOf(providers, asked).map((one) => one.provider.name);

describe('who could serve a claim', () => {
  const one = { provider: provider('one', [kind('Shared'), kind('Own')]), type: 'one' };
  const two = { provider: provider('two', [kind('Shared', true)]), type: 'two' };

  it('is everybody who knows its node class, in the order of the configuration', () => {
    expect(namesOf([two, one], claim())).toEqual(['two', 'one']);
    expect(namesOf([two, one], claim({ nodeClassRef: { group: '', kind: 'Own', name: 'x' } }))).toEqual(['one']);
    expect(namesOf([two, one], claim({ nodeClassRef: { group: 'h', kind: 'Own', name: 'x' } }))).toEqual([]);
    expect(servingOf([two], claim())[0]?.resource).toMatchObject({ optional: true, namespaced: false });
  });

  it('is not who says that the claim is not for it', () => {
    const picky = provider('picky', [kind('Shared')], { serves: [{ hasLabels: ['mine'] }] });
    expect(namesOf([{ provider: picky, type: 'picky' }], claim())).toEqual([]);
    expect(namesOf([{ provider: picky, type: 'picky' }], claim({ labels: { mine: 'yes' } }))).toEqual(['picky']);
  });

  it('is asked under its type, because its code does not know the name that it was given', () => {
    const typed = provider('prod-pools', [kind('Shared')], {
      serves: [{ annotations: { 'poolwright.dev/provider': ['aks'] } }],
    });
    const asks = (name: string) => claim({ annotations: { 'poolwright.dev/provider': name } });
    expect(namesOf([{ provider: typed, type: 'aks' }], asks('prod-pools'))).toEqual(['prod-pools']);
    expect(namesOf([{ provider: typed, type: 'aks' }], asks('aks'))).toEqual(['prod-pools']);
    expect(namesOf([{ provider: typed, type: 'aks' }], asks('other'))).toEqual([]);
  });

  it('shares its kinds with others, and each is named once; it must be there if anybody needs it', () => {
    expect(kindsOf([two.provider, one.provider])).toEqual([kind('Shared'), kind('Own')]);
    expect(kindsOf([two.provider])).toEqual([kind('Shared', true)]);
  });
});

describe('a machine', () => {
  const providers = [provider('p', [])];

  it('is one under all the providerIDs that name it', () => {
    expect(isSameMachine({ providers }, 'a/pool/0', 'b/pool/1')).toBe(true);
    expect(isSameMachine({ providers }, 'a/pool/0', 'a/other/0')).toBe(false);
    expect(isSameMachine({ providers }, 'same', 'same')).toBe(true);
    expect(isSameMachine({ providers }, undefined, 'a/pool/0')).toBe(false);
    expect(isSameMachine({ providers }, undefined, undefined)).toBe(true);
    expect(machineKey({ providers }, 'a/pool/0')).toBe('p/pool');
    expect(machineKey({ providers }, 'unknown')).toBe('unknown');
  });
});
