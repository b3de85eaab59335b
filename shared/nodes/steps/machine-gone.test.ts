import { describe, expect, it } from 'vitest';
import { failed, ok } from '../../base/result.ts';
import type { Instance, Provider } from '../../providers/contract.ts';
import { getMachine } from './machine-gone.ts';

const key = { deployment: 'd', cluster: 'c', claimUid: 'u', claimName: 'one', createdAt: 0 };

/** Knows no providerID by its shape, as one that a cloud has changed. */
const providerWith = (found: Partial<Instance>[]): Provider =>
  ({
    instanceIds: [],
    get: async () => failed('not-found', 'no machine of ours has such a providerID'),
    find: async () => ok(found as Instance[]),
  }) as Partial<Provider> as Provider;

describe('a machine whose providerID has a shape that nobody knows', () => {
  const signal = new AbortController().signal;

  it('is there as long as its claim has it', async () => {
    const machine = { id: 'one', providerID: 'azure:///new-shape/7' };
    expect(await getMachine(providerWith([machine]), key, machine.providerID, signal)).toEqual(ok(machine));
  });

  it('is gone when its claim has none, or another', async () => {
    for (const found of [[], [{ id: 'one', providerID: 'azure:///new-shape/8' }]]) {
      const got = await getMachine(providerWith(found), key, 'azure:///new-shape/7', signal);
      expect(got).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    }
  });
});
