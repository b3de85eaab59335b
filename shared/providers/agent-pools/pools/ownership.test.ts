import { describe, expect, test } from 'vitest';
import type { Pool } from '../agent-pools.ts';
import { isOfAttempt, ownerForClaim, ownerInDeployment } from './ownership.ts';
import { tagsOf } from './tags.ts';

const createdAt = Date.parse('2026-11-16T10:30:05.700Z');
const owner = { deployment: 'main', cluster: 'c-uid', claimUid: 'claim-uid', attempt: 2 };
const key = { deployment: 'main', cluster: 'c-uid', claimUid: 'claim-uid', claimName: 'ws1', createdAt };

const aPool = (more: Partial<Pool>): Pool => ({
  id: '/x',
  name: 'ws1',
  provisioningState: 'Succeeded',
  vmSize: 'Standard_NC12s_v3',
  count: 1,
  labels: {},
  taints: [],
  tags: {},
  zones: [],
  spot: false,
  ...more,
});

const byGpuProvisioner = {
  'karpenter.sh/nodepool': 'kaito',
  'kaito.sh/workspace': 'phi',
  'kaito.sh/machine-type': 'gpu',
  'kaito.sh/creation-timestamp': '2026-11-16T10-30-05Z',
};

describe('a pool of our own', () => {
  const pool = aPool({ tags: tagsOf(owner, 'ws1'), labels: byGpuProvisioner });

  test("is its claim's, whatever attempt made it", () => {
    expect(ownerForClaim(pool, key)).toEqual({ owner, claimName: 'ws1' });
    expect(isOfAttempt(pool, owner, createdAt)).toBe(true);
    expect(isOfAttempt(pool, { ...owner, attempt: 1 }, createdAt)).toBe(false);
  });

  test.each([{ claimUid: 'other' }, { deployment: 'other' }, { cluster: 'other' }])("is nobody else's: %j", (other) => {
    expect(ownerForClaim(pool, { ...key, ...other })).toBeUndefined();
  });
});

describe('a pool of our own whose tags somebody has replaced', () => {
  const labels = { ...byGpuProvisioner, 'poolwright.dev/claim-uid': 'claim-uid', 'poolwright.dev/attempt': '2' };

  test.each([{}, { team: 'a' }, { 'poolwright-claim-uid': 'claim-uid' }])('is known by its labels: %j', (tags) => {
    const pool = aPool({ tags, labels });
    expect(ownerForClaim(pool, key)).toEqual({ owner, claimName: 'ws1' });
    expect(isOfAttempt(pool, owner, createdAt)).toBe(true);
    expect(isOfAttempt(pool, { ...owner, attempt: 3 }, createdAt)).toBe(false);
  });

  test('is no other claim of the same name and second', () => {
    const pool = aPool({ labels });
    expect(ownerForClaim(pool, { ...key, claimUid: 'other' })).toBeUndefined();
    expect(isOfAttempt(pool, { ...owner, claimUid: 'other' }, createdAt)).toBe(false);
  });

  test('is nothing that garbage collection could tell from a claim of another deployment', () => {
    expect(ownerInDeployment(aPool({ labels }), owner)?.owner.claimUid ?? '').toBe('');
  });
});

describe('a pool of gpu-provisioner', () => {
  const pool = aPool({ labels: byGpuProvisioner });

  test('is taken over by the claim of its name and age', () => {
    expect(ownerForClaim(pool, key)).toEqual({ owner: { ...owner, attempt: 1 }, claimName: 'ws1' });
    expect(isOfAttempt(pool, owner, createdAt)).toBe(true);
  });

  test('is not taken over by a later claim of the same name, or by one whose age is unknown', () => {
    const { createdAt: _, ...ageless } = key;
    expect(ownerForClaim(pool, { ...key, createdAt: createdAt + 1000 })).toBeUndefined();
    expect(ownerForClaim(pool, ageless)).toBeUndefined();
    expect(isOfAttempt(pool, owner, undefined)).toBe(false);
    expect(isOfAttempt(pool, owner, Number.NaN)).toBe(false);
  });

  test.each(['karpenter.sh/nodepool', 'kaito.sh/machine-type', 'kaito.sh/creation-timestamp'])(
    "is somebody's own when it lacks the label %s",
    (missing) => {
      const { [missing]: _, ...labels } = byGpuProvisioner as Record<string, string>;
      expect(ownerForClaim(aPool({ labels }), key)).toBeUndefined();
    },
  );

  test("is nobody's to take when it carries part of an owner", () => {
    const tags = { 'poolwright-claim-uid': 'claim-uid' };
    expect(ownerForClaim(aPool({ labels: byGpuProvisioner, tags }), key)).toBeUndefined();
  });

  test('is known by its shape to whoever asks without a claim, and fits no claim', () => {
    expect(ownerInDeployment(pool, owner)?.owner.claimUid).toBe('');
    expect(ownerInDeployment(aPool({}), owner)).toBeUndefined();
  });
});
