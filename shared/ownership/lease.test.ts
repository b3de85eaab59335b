import { expect, it } from 'vitest';
import { judgeLease, type LeaseObject } from './lease.ts';

const us = { deployment: 'ours', id: '1' };
const now = Date.parse('2026-01-01T00:01:00Z');

const held = (spec: LeaseObject['spec']): LeaseObject => ({
  metadata: { name: 'poolwright', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { holderIdentity: 'ours/1', leaseDurationSeconds: 120, renewTime: '2026-01-01T00:00:55.000000Z', ...spec },
});
const judge = (spec: LeaseObject['spec'] = {}) =>
  judgeLease({ lease: held(spec), us, seen: undefined, now, leaseSeconds: 120, freshSeconds: 15 }).do;

it('our own Lease is left alone while another process of ours has just renewed it', () => {
  expect(judge()).toBe('keep');
});

it('our own Lease is renewed once it is no longer fresh, or when its time lies in the future', () => {
  expect(judge({ renewTime: '2026-01-01T00:00:40.000000Z' })).toBe('renew');
  expect(judge({ renewTime: '2026-01-01T00:02:00.000000Z' })).toBe('renew');
});

it('our own Lease is renewed at once when its duration in the configuration has changed', () => {
  expect(judge({ leaseDurationSeconds: 15 })).toBe('renew');
});
