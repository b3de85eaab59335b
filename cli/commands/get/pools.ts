/** `get pools`: how many nodes each pool has of those that it should have, and why not more. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { nodePools } from '../../../shared/kube/contract.ts';
import type { StoredPool } from '../../../shared/nodes/disruption/types.ts';
import { type PoolRow, poolColumns, poolData, poolRow } from '../../terminal/pool-row.ts';
import type { Getting } from './getting.ts';
import { getObjects } from './objects.ts';

export const getPools = (getting: Getting): Promise<number> =>
  getObjects<StoredPool, PoolRow>(getting, {
    resource: nodePools,
    unknown: 'UnknownPool',
    row: poolRow,
    gone: (row) => ({
      ...row,
      ready: 'False',
      why: { type: 'Gone', reason: 'Gone', message: 'deleted', severity: 'waiting' },
    }),
    columns: poolColumns(() => systemClock.now()),
    name: ({ name }) => `nodepool.karpenter.sh/${name}`,
    data: poolData,
    empty: 'No pools.',
  });
