/** Fields for each kind of decision, so that every sentence of it can be read. A kind whose sentence has branches has a sample of each. */
import type { DecisionCode, FieldsOf } from '../../shared/nodes/steps/report/decision-catalog.ts';
import { drainFields } from '../../shared/nodes/steps/report/drain-text.ts';

const message = 'instance types of sim cannot be listed';
const attempt = 2;
const instance = 'i-1';
const offering = { instanceType: 'small', zone: 'z1', capacityType: 'spot', price: 0.1 } as const;
const asked = { attempt, offering, others: 3 };
const failure = { reason: 'Unauthorized', kind: 'unauthorised', message };
const discarded = { instance, attempt };
const budget = {
  pod: 'a/b',
  why: 'is protected by PodDisruptionBudget a/guard, which currently allows no disruption',
  budget: 'a/guard',
};

export const sampleDecisions: { readonly [Code in DecisionCode]: readonly [FieldsOf<Code>, ...FieldsOf<Code>[]] } = {
  'offering-chosen': [{ attempt, offering }],
  'nothing-chosen': [failure],
  'launch-waits': [
    { reason: 'Paused', message: 'cluster east is paused in the configuration' },
    { reason: 'NodeClassNotReady', message: 'AKSNodeClass a is not ready: ZonesNotFound: …', because: 'ZonesNotFound' },
  ],
  'operation-waits': [{ message: 'waiting: aks allows 1 operation at a time in cluster east; next in line' }],
  'create-put-off': [failure],
  created: [{ attempt, offering, instance }],
  'create-begun': [asked, { ...asked, others: 0 }],
  'create-failed': [{ ...asked, ...failure }],
  'instance-found': [{ attempt, instance }],
  'made-before-pause': [{ attempt, instance }],
  'create-rejected': [{ attempt, ...failure }],
  'node-awaited': [{ attempt, message: 'no node with providerID x has joined yet', until: 0 }],
  'node-ready': [{ node: 'n-1' }],
  'attempt-closed': [
    { attempt, ...failure, settleSeconds: 5 },
    { attempt, ...failure, settleSeconds: 0 },
  ],
  'launch-failed': [{ ...failure, retryAt: 0 }],
  'given-back': [failure],
  'taken-over': [{ instance }],
  'left-alone': [{ providerID: 'x' }, { providerID: '' }],
  adopted: [
    { instance, attempt, need: 'unreadable' },
    { instance, attempt, need: 'foreign' },
  ],
  'foreign-end': [{ finalizer: 'karpenter.sh/termination' }],
  'end-begun': [
    { attempt, phase: 'ready', settleSeconds: 5 },
    { attempt, phase: 'ready', settleSeconds: 0 },
  ],
  released: [{}],
  draining: [
    drainFields('n-1', { left: 4, held: [budget], leaving: ['a/1', 'a/2'] }, 0),
    drainFields('n-1', { left: 1, held: [], leaving: [] }, undefined),
  ],
  'end-waits': [
    { reason: 'DrainFailed', message: 'node n-1 cannot be drained, because its pods cannot be listed: forbidden' },
  ],
  'delete-failed': [{ ...discarded, ...failure }],
  'delete-begun': [discarded],
  'instance-kept': [{ instance: 'i-1', state: 'Destroyed' }],
  'instance-gone': [discarded],
  'read-only': [{ reason: 'NotOwner', who: 'blue', message: 'deployment blue manages the cluster' }],
  'provider-missing': [{ message: 'provider sim is not configured for cluster east' }],
  'claim-not-writable': [{ message }],
  'record-unreadable': [{ problem: 'it is not JSON' }],
  'node-deleted': [{ node: 'n-1' }],
  'instance-vanished': [{ providerID: 'x' }],
  'set-aside': [
    { workflow: 'launch', id: 'east/u/launch/1' },
    { workflow: 'launch', id: 'east/u/launch/1', error: 'out of memory' },
  ],
};
