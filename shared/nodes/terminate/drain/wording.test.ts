import { describe, expect, it } from 'vitest';
import { drainFields, drainingText, volumesText } from '../../steps/report/drain-text.ts';
import { heldByBudget, heldByBudgets } from './wording.ts';

describe('a budget that says no', () => {
  it.each([
    [
      "Cannot evict pod as it would violate the pod's disruption budget.: The disruption budget guard needs 2 healthy pods and has 2 currently",
      'is protected by PodDisruptionBudget shop/guard, which currently allows no disruption (it needs 2 healthy and has 2)',
      { budget: 'shop/guard' },
    ],
    [
      "Cannot evict pod as it would violate the pod's disruption budget.: The disruption budget web.pdb is still being processed by the server.",
      'is protected by PodDisruptionBudget shop/web.pdb, which currently allows no disruption',
      { budget: 'shop/web.pdb' },
    ],
    ['in words of tomorrow', 'cannot be evicted now: in words of tomorrow', {}],
  ])('%s', (said, why, more) => expect(heldByBudget('shop/web-0', said)).toEqual({ pod: 'shop/web-0', why, ...more }));
});

it('several budgets say what is to be done', () => {
  expect(heldByBudgets('shop/web-0').why).toMatch(/more than one PodDisruptionBudget.*delete the pod/);
});

it('a drain names who holds it, who leaves, and how long it may take', () => {
  const held = [{ pod: 'shop/web-0', why: 'is held' }];
  const leaving = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'];
  expect(drainingText(drainFields('n1', { left: 6, held, leaving }, undefined))).toBe(
    'node n1 has 6 pods left to evict; shop/web-0 is held; terminating: a/1, a/2, a/3 and 2 more; ' +
      'the claim has no terminationGracePeriod, so there is no time limit',
  );
  const deadline = Date.parse('2026-01-01T00:02:00Z');
  expect(drainingText(drainFields('n1', { left: 1, held: [], leaving: ['a/1'] }, deadline))).toBe(
    'node n1 has 1 pod left to evict; terminating: a/1; remaining pods are deleted by 2026-01-01T00:02:00Z',
  );
  expect(volumesText('n1', ['pv-1'], deadline)).toBe(
    '1 volume still attached to node n1: pv-1; the wait ends at 2026-01-01T00:02:00Z',
  );
});
