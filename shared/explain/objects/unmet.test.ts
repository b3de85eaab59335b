import { describe, expect, it } from 'vitest';
import type { StoredPool } from '../../nodes/disruption/types.ts';
import { nodeClassUnmet, poolUnmet } from './unmet.ts';

const condition = (type: string, status: string, reason = type, message = '') => ({
  type,
  status: status as 'True',
  reason,
  message,
  lastTransitionTime: '2026-03-04T05:06:07Z',
});

const pool = (conditions: ReturnType<typeof condition>[], nodes = 0, more = {}): StoredPool =>
  ({
    metadata: { name: 'workers', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-03-04T05:06:07Z', ...more },
    spec: { replicas: 3, template: { spec: { nodeClassRef: { group: 'g', kind: 'K', name: 'n' } } } },
    status: { nodes, conditions },
  }) as unknown as StoredPool;

const ready = [
  condition('ValidationSucceeded', 'True'),
  condition('NodeClassReady', 'True'),
  condition('Ready', 'True'),
];

describe('why a pool is not what it should be', () => {
  it('is the first condition that hides the others', () => {
    const failing = [
      condition('NodeRegistrationHealthy', 'False', 'NoInstanceTypeFits', 'none fits'),
      condition('NodeClassReady', 'False', 'NodeClassNotFound', 'no class'),
      condition('Ready', 'False', 'UnhealthyDependents'),
    ];
    expect(poolUnmet(pool(failing))).toMatchObject({ reason: 'NodeClassNotFound', severity: 'failed' });
    expect(poolUnmet(pool([failing[0] as never, failing[2] as never]))).toMatchObject({ reason: 'NoInstanceTypeFits' });
  });

  it('is that nodes are missing where every condition holds, and nothing where none is', () => {
    expect(poolUnmet(pool(ready, 2))).toMatchObject({ reason: 'Scaling', message: '2 of 3 nodes have joined' });
    expect(poolUnmet(pool(ready, 3))).toBeUndefined();
    expect(poolUnmet(pool([]))).toMatchObject({ reason: 'NotSeenYet' });
    expect(poolUnmet(pool(ready, 3, { deletionTimestamp: '2026-03-04T05:06:08Z' }))).toMatchObject({
      reason: 'Deleting',
    });
  });

  it('is not what an earlier spec led to, once Ready no longer depends on it', () => {
    expect(poolUnmet(pool([...ready, condition('NodeRegistrationHealthy', 'Unknown')], 3))).toBeUndefined();
  });
});

describe('why a node class is not what it should be', () => {
  const named = (conditions: ReturnType<typeof condition>[]) => pool(conditions) as never;
  it('is its Ready condition; a kind of another provisioner need not have one', () => {
    expect(nodeClassUnmet(named([condition('Ready', 'False', 'ImagesNotFound', 'none')]))).toMatchObject({
      reason: 'ImagesNotFound',
      severity: 'failed',
    });
    expect(nodeClassUnmet(named([]))).toMatchObject({ reason: 'NotSeenYet' });
    expect(nodeClassUnmet(named([]), { optional: true })).toBeUndefined();
    expect(nodeClassUnmet(named(ready))).toBeUndefined();
  });
});
