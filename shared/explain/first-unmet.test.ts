import { describe, expect, test } from 'vitest';
import type { Condition, ObjectMeta } from '../base/kubernetes/object.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { annotations, terminationFinalizer } from '../nodes/claims/spec/well-known.ts';
import { firstUnmet, unmetText } from './first-unmet.ts';

const condition = (type: string, status: Condition['status'], reason = type, message = ''): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const claim = (conditions: Condition[] | undefined, metadata: Partial<ObjectMeta> = {}): NodeClaim => ({
  metadata: { name: 'web', uid: 'u', ...metadata },
  spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] },
  ...(conditions === undefined ? {} : { status: { conditions } }),
});

const why = (given: NodeClaim): string | undefined => {
  const unmet = firstUnmet(given);
  return unmet === undefined ? undefined : unmetText(unmet);
};

const ready = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => condition(type, 'True'));
const deleting = { deletionTimestamp: '2026-01-01T00:01:00Z', finalizers: [terminationFinalizer] };

test('a ready claim has nothing unmet', () => {
  expect(firstUnmet(claim(ready))).toBeUndefined();
});

test('conditions that Ready does not depend on are no reason', () => {
  expect(firstUnmet(claim([...ready, condition('Drifted', 'True', 'NodeClassDrifted', 'it differs')]))).toBeUndefined();
});

describe('on the way up', () => {
  test.each<[string, Condition[] | undefined, string]>([
    ['nothing was said', undefined, 'NotSeenYet: no provisioner has processed it yet'],
    [
      'the launch failed',
      [condition('Launched', 'False', 'QuotaExceeded', 'no more of these'), condition('Ready', 'False', 'x', 'y')],
      'QuotaExceeded: no more of these',
    ],
    [
      'an earlier condition wins over a later one, whatever their order',
      [
        condition('Registered', 'False', 'NodeNotUsable', 'later'),
        condition('Launched', 'Unknown', 'Launching', 'now'),
      ],
      'Launching: now',
    ],
    [
      'a launched claim waits for its node',
      [condition('Launched', 'True'), condition('Registered', 'Unknown', 'NodeNotFound', 'no node yet')],
      'NodeNotFound: no node yet',
    ],
    ['a condition without words gets the usual ones', [condition('Launched', 'Unknown')], 'waiting for an instance'],
    [
      'a condition that is not there at all counts as unmet',
      [condition('Launched', 'True')],
      'waiting for its node to join the cluster',
    ],
    [
      'all parts hold, but somebody says that the whole does not',
      [...ready.slice(0, 3), condition('Ready', 'False', 'Strange', 'because')],
      'Strange: because',
    ],
  ])('%s', (_, conditions, expected) => {
    expect(why(claim(conditions))).toBe(expected);
  });

  test('a machine that was just asked for is said to be on its way', () => {
    expect(why(claim(undefined, { annotations: { [annotations.attempt]: '{}' } }))).toBe(
      'Launching: an instance is being created',
    );
  });
});

describe('on the way out', () => {
  test.each<[string, Condition[], string]>([
    ['nothing was said yet', ready, 'it is being deleted'],
    [
      'a drain is told',
      [...ready, condition('Drained', 'Unknown', 'Draining', 'node a has 2 pods to lose')],
      'Draining: node a has 2 pods to lose',
    ],
    [
      'volumes come after the drain',
      [condition('Drained', 'True'), condition('VolumesDetached', 'Unknown', 'Detaching', '1 volume')],
      'Detaching: 1 volume',
    ],
    [
      'once the machine goes, what was not drained in time is not waited for',
      [condition('Drained', 'False', 'TerminationGracePeriodElapsed', 'x'), condition('InstanceTerminating', 'True')],
      'Deleting: its instance is being deleted',
    ],
    [
      'a delete that is held up says by what',
      [condition('InstanceTerminating', 'Unknown', 'WaitingForTurn', '3 before it')],
      'WaitingForTurn: 3 before it',
    ],
  ])('%s', (_, conditions, expected) => {
    expect(why(claim(conditions, deleting))).toBe(expected);
  });

  test('a finalizer of somebody else is named once ours is off', () => {
    const held = { ...deleting, finalizers: ['example.com/backup'] };
    expect(why(claim(ready, held))).toMatch(
      /^ForeignFinalizer: its cloud resources are deleted, but finalizer example.com\/backup keeps it/,
    );
  });

  test('as long as ours is on, another finalizer is not what it waits for', () => {
    const held = { ...deleting, finalizers: ['example.com/backup', terminationFinalizer] };
    expect(why(claim(ready, held))).toBe('it is being deleted');
  });
});
