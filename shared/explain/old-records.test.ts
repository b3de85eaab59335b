/** Records as the version before codes has left them in data directories, letter by letter. */
import { expect, test } from 'vitest';
import { oldWaiting, withCode } from './old-records.ts';
import { stagesOf } from './stages.ts';

test.each([
  ['choose', 'attempt 1: general-small in zone-a, on-demand, 0.048 per hour', 'offering-chosen'],
  ['choose', 'No instance type fits: gpu 99', undefined],
  ['create', 'attempt 1: general-small in zone-a, on-demand is being created', 'create-begun'],
  ['create', 'attempt 2: general-small in zone-a, on-demand is there as i-1', 'created'],
  ['create', 'found instance i-1 of attempt 1: adopted', 'instance-found'],
  ['create', 'attempt 1: general-small in zone-a, on-demand: throttled: too many requests', undefined],
  ['ready', 'node i-1 is ready', 'node-ready'],
  [
    'take over',
    'it was launched as azure:///x by another provisioner, and no provider here has an instance that was made for this very claim; it is left alone',
    'left-alone',
  ],
  ['take over', 'instance i-1 of a predecessor was taken over as it is', undefined],
  ['terminate', 'deleting; attempt 1 is ready', 'end-begun'],
  ['terminate', 'nothing is left; the claim is released', 'released'],
  [
    'terminate',
    'the claim was launched, but carries no attempt of ours and has no instance of ours: its end is left to whoever made its machine. If nobody else did, remove the finalizer karpenter.sh/termination',
    'foreign-end',
  ],
  ['discard', 'instance i-1 of attempt 1 is gone', 'instance-gone'],
  ['discard', 'instance i-1 of attempt 1 is being deleted', 'delete-begun'],
  ['discard', 'delete of instance i-1 of attempt 1 failed: locked', undefined],
])('%s "%s" is known again', (step, text, code) => {
  const entry: Parameters<typeof withCode>[0] = { step, text };
  expect(withCode(entry)).toMatchObject({ ...entry, ...(code === undefined ? {} : { code }) });
  expect(withCode(entry).code).toBe(code);
});

test.each([
  [
    'node n1 has 1 pod to lose; default/web is held by PodDisruptionBudget default/guard, which allows no disruption now (it needs 1 healthy and has 1); the claim has no terminationGracePeriod, so this takes as long as it takes',
    { heldBy: ['EvictionRefused'], held: [{ budget: 'default/guard' }] },
  ],
  [
    'node n1 has 2 pods to lose; a/b is selected by more than one PodDisruptionBudget, so Kubernetes evicts it never: leave it one of them, or delete the pod; what is left is deleted by 2026-01-01T00:02:00Z',
    { heldBy: ['BudgetsOverlap'], held: [] },
  ],
  [
    'node n1 has 1 pod to lose; a/b asks not to be disrupted, so it has to end by itself; the claim has no terminationGracePeriod, so this takes as long as it takes',
    { heldBy: ['PodsNotToBeDisrupted'], held: [] },
  ],
  [
    'node n1 has 3 pods to lose; leaving: a/1, a/2, a/3; what is left is deleted by 2026-01-01T00:02:00Z',
    { heldBy: [], held: [] },
  ],
])('a drain is known again with what holds it: %s', (text, fields) => {
  expect(withCode({ step: 'drain', text })).toEqual({ step: 'drain', text, code: 'draining', fields });
});

test('a drain that the API server refuses is known again', () => {
  const text = "node n1 can't be drained, because its pods cannot be listed: forbidden";
  expect(withCode({ step: 'drain', text })).toMatchObject({ code: 'end-waits', fields: { reason: 'DrainFailed' } });
});

test('the time that was kept with a wait for a node is found', () => {
  const entry = { step: 'join', text: 'attempt 1: no node with providerID x has joined yet', detail: { until: 7 } };
  expect(withCode(entry)).toMatchObject({ code: 'node-awaited', fields: { until: 7 } });
});

test('an entry that has a code is left as it is', () => {
  const entry = { step: 'ready', text: 'node n is ready', code: 'rests', fields: { node: 'n' } };
  expect(withCode(entry)).toBe(entry);
});

test('the stages of an old record are those that it reached', () => {
  const decisions = [
    { at: 1, step: 'choose', text: 'attempt 1: small in zone-a, spot, 0.1 per hour' },
    { at: 2, step: 'create', text: 'attempt 1: small in zone-a, spot is being created' },
    { at: 9, step: 'ready', text: 'node n is ready' },
  ].map(withCode);

  expect(stagesOf({ decisions })).toEqual([
    { name: 'chosen', at: 1 },
    { name: 'created', at: 2 },
    { name: 'ready', at: 9 },
  ]);
});

test.each([
  ['poll pollCreate until 1970-01-01T00:00:08.000Z', { command: 'poll', name: 'pollCreate', until: 8000 }],
  ['sleep until 1970-01-01T00:00:08.000Z', { command: 'sleep', until: 8000 }],
  ['call beginCreate', { command: 'call', name: 'beginCreate' }],
  ['all [call a, call b]', { command: 'all', name: '[call a, call b]' }],
])('what an older host calls "%s" is taken apart', (text, waiting) => {
  expect(oldWaiting(text)).toEqual(waiting);
});
