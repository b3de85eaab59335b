import { describe, expect, it } from 'vitest';
import type { OfferingRef } from '../claims/choice/offerings.ts';
import type { NodeClaim } from '../claims/spec/types.ts';
import { expiryOf, needsStamp, outdatedBecause, todayOf } from './drift.ts';
import { hashVersion, templateHash } from './hash.ts';
import type { StoredPool } from './types.ts';

const created = Date.UTC(2026, 0, 1);
const template: StoredPool['spec']['template'] = {
  spec: { nodeClassRef: { group: 'g', kind: 'K', name: 'default' }, requirements: [] },
};
const aClaim = (annotations: Record<string, string> = {}, expireAfter = '720h'): NodeClaim => ({
  metadata: {
    name: 'one',
    uid: 'u',
    creationTimestamp: new Date(created).toISOString(),
    labels: { team: 'a' },
    annotations: {
      'karpenter.sh/nodepool-hash': templateHash(template),
      'karpenter.sh/nodepool-hash-version': hashVersion,
      ...annotations,
    },
  },
  spec: { ...template.spec, expireAfter },
});
const bought: OfferingRef = { instanceType: 'general-small', zone: 'zone-a', capacityType: 'on-demand' };
const today = (more: Partial<StoredPool['spec']['template']['spec']> = {}, nodeClassHash?: string, now = created) =>
  todayOf({ ...template, spec: { ...template.spec, ...more } }, { hash: nodeClassHash }, now);
const requiring = (key: string, ...values: string[]) => ({ requirements: [{ key, operator: 'In', values }] });

describe('drift', () => {
  it('is none while template, requirements and class are as they were', () => {
    expect(outdatedBecause(aClaim(), bought, today())).toBeUndefined();
  });

  it('is seen in the hash of the template', () => {
    expect(outdatedBecause(aClaim(), bought, today({ terminationGracePeriod: '1m' }))).toBe('NodePoolDrifted');
  });

  it('is not seen in a hash that was counted in another way: that one is stamped anew', () => {
    const foreign = aClaim({ 'karpenter.sh/nodepool-hash': '123', 'karpenter.sh/nodepool-hash-version': 'v3' });
    expect(outdatedBecause(foreign, bought, today())).toBeUndefined();
    expect(needsStamp(foreign)).toBe(true);
    expect(needsStamp(aClaim())).toBe(false);
  });

  it.each([
    ['another zone', requiring('topology.kubernetes.io/zone', 'zone-b'), 'RequirementsDrifted'],
    ['the same zone', requiring('topology.kubernetes.io/zone', 'zone-a', 'zone-b'), undefined],
    ['another type', requiring('node.kubernetes.io/instance-type', 'gpu-small'), 'RequirementsDrifted'],
    ['a label that differs', requiring('team', 'b'), 'RequirementsDrifted'],
    ['a label that nobody wrote down', requiring('kubernetes.io/arch', 'amd64'), undefined],
    ['something that can not be read', { requirements: [{ key: 'team', operator: 'Near', values: ['b'] }] }, undefined],
  ])('compares what was bought with the requirements: %s', (_, spec, expected) => {
    expect(outdatedBecause(aClaim(), bought, today(spec))).toBe(expected);
  });

  it('does not judge by requirements what was not bought yet', () => {
    expect(outdatedBecause(aClaim(), undefined, today(requiring('team', 'b')))).toBeUndefined();
  });

  it('is seen in the node class, if its provider can tell and could tell then', () => {
    const stamped = aClaim({ 'poolwright.dev/nodeclass-hash': 'old' });
    expect(outdatedBecause(stamped, bought, today({}, 'new'))).toBe('NodeClassDrifted');
    expect(outdatedBecause(stamped, bought, today({}, 'old'))).toBeUndefined();
    expect(outdatedBecause(stamped, bought, today({}, undefined))).toBeUndefined();
    expect(outdatedBecause(aClaim(), bought, today({}, 'new'))).toBeUndefined();
  });
});

describe('the image of a machine', () => {
  it.each([
    ['is one of those in use', 'ami-1', ['ami-1', 'ami-2'], undefined],
    ['is in use no more', 'ami-0', ['ami-1', 'ami-2'], 'NodeClassDrifted'],
    ['is not known', undefined, ['ami-1'], undefined],
    ['can not be compared', 'ami-0', undefined, undefined],
    ['would have none to be compared with', 'ami-0', [], undefined],
  ])('drifts by itself where it %s', (_, imageID, images, expected) => {
    const claim = { ...aClaim(), status: imageID === undefined ? {} : { imageID } };
    expect(outdatedBecause(claim, bought, todayOf(template, { images }, created))).toBe(expected);
  });
});

describe('expiry', () => {
  it('comes with the time since creation, and wins over drift', () => {
    const at = created + 720 * 3_600_000;
    expect(expiryOf(aClaim())).toBe(at);
    expect(outdatedBecause(aClaim(), bought, today({ terminationGracePeriod: '1m' }, undefined, at))).toBe('Expired');
    expect(outdatedBecause(aClaim(), bought, today({}, undefined, at - 1))).toBeUndefined();
  });

  it.each(['Never', 'soon', ''])('never comes for %j', (expireAfter) => {
    expect(expiryOf(aClaim({}, expireAfter))).toBeUndefined();
  });
});
