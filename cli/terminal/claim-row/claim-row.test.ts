import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../shared/kube/contract.ts';
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { sorted } from '../../commands/top/rows.ts';
import { summaryLines, summaryOf } from '../../commands/top/summary.ts';
import { claimRow } from './claim-row.ts';

const now = Date.parse('2026-03-04T06:00:00Z');
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-03-04T05:00:00Z',
};
const refused = { ...ready, type: 'InstanceTerminating', status: 'Unknown', reason: 'Unauthorised', message: 'no' };

const row = (name: string, metadata: object, conditions: object[] = [ready]) =>
  claimRow(
    {
      metadata: { name, uid: name, finalizers: ['karpenter.sh/termination'], ...metadata },
      spec: { nodeClassRef: { group: 'g', kind: 'K', name: 'n' }, requirements: [] },
      status: { conditions },
    } as unknown as NodeClaim & KubeObject,
    now,
  );

describe('a claim that is being deleted', () => {
  const deleted = { deletionTimestamp: '2026-03-04T05:59:00Z' };

  it('is not shown as ready, whatever its condition still says', () => {
    expect(row('a', deleted)).toMatchObject({ ready: 'False', stage: 'Deleting' });
    expect(row('a', {})).toMatchObject({ ready: 'True', stage: 'Ready' });
  });

  it.each([
    ['whose instance the cloud does not delete', deleted, [ready, refused]],
    ['after an hour', { deletionTimestamp: '2026-03-04T04:59:00Z' }, [ready]],
    ['that only a finalizer of another controller keeps', { ...deleted, finalizers: ['x.dev/keep'] }, [ready]],
  ])('is stuck %s, comes first in top, and is a failure', (_, metadata, conditions) => {
    const stuck = row('z-stuck', metadata, conditions);
    expect(stuck.stage).toBe('Stuck');
    const rows = [row('a', {}), row('b', deleted), stuck];
    expect(sorted(rows, 'stage')[0]?.name).toBe('z-stuck');
    expect(summaryLines(summaryOf(rows), 'none').at(-1)).toMatch(/^Failures 1 \w+/);
  });

  it('that only waits for its turn is not stuck', () => {
    expect(row('a', deleted, [ready, { ...refused, reason: 'WaitingForTurn' }]).stage).toBe('Deleting');
  });
});
