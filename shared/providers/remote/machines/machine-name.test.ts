import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineNameFor, ownerInName } from './machine-name.ts';

const scope = { deployment: 'main', cluster: '6f1c1a2e-0000-4000-8000-000000000001' };
const nameOf = (claimUid: string, attempt: number, claimName: string): string => {
  const made = machineNameFor({ ...scope, claimUid, attempt }, claimName);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};

const claimNames = fc.stringMatching(/^[a-z][a-z0-9.-]{0,250}[a-z0-9]$/);

describe('the name of a machine', () => {
  it('says whose it is, whatever the claim is called', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 100_000 }), claimNames, (uid, attempt, claimName) => {
        const name = nameOf(uid, attempt, claimName);
        expect(name).toMatch(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/);
        const owner = ownerInName(name, scope);
        expect(owner).toMatchObject({ claimUid: uid, attempt });
        if (owner?.isWhole) expect(owner.claimName).toBe(claimName);
      }),
    );
  });

  it('has all of a usual claim in it', () => {
    const uid = '0b0e7a0e-3f5a-4a86-9a6c-2b1f2d1a9c11';
    expect(ownerInName(nameOf(uid, 3, 'general-x7k2p'), scope)).toEqual({
      claimUid: uid,
      attempt: 3,
      claimName: 'general-x7k2p',
      isWhole: true,
    });
  });

  it('is nothing to another deployment, or in another cluster', () => {
    const name = nameOf('0b0e7a0e-3f5a-4a86-9a6c-2b1f2d1a9c11', 1, 'web');
    expect(ownerInName(name, { ...scope, deployment: 'other' })).toBeUndefined();
    expect(ownerInName(name, { ...scope, cluster: 'other' })).toBeUndefined();
  });

  it.each(['web', 'web-pwa', 'vm-1', 'x-pwzaaaaaaaa-aa-1', ''])('finds no owner in %j', (name) => {
    expect(ownerInName(name, scope)).toBeUndefined();
  });

  it('refuses a uid that it has no room for', () => {
    expect(machineNameFor({ ...scope, claimUid: 'u'.repeat(60), attempt: 1 }, 'web').ok).toBe(false);
  });
});
