/** `get claims`: how far each claim is, what it became, what that costs, and why it is not ready. */

import { systemClock } from '../../../shared/base/runtime.ts';
import { type KubeObject, nodeClaims } from '../../../shared/kube/contract.ts';
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { type ClaimRow, claimColumns, claimData, claimRow } from '../../terminal/claim-row/claim-row.ts';
import { failingPools } from './failing-pools.ts';
import type { Getting } from './getting.ts';
import { getObjects } from './objects.ts';

export function getClaims(getting: Getting): Promise<number> {
  const { provider } = getting.options;
  return getObjects<NodeClaim & KubeObject, ClaimRow>(getting, {
    resource: nodeClaims,
    unknown: 'UnknownClaim',
    row: claimRow,
    gone: (row) => ({ ...row, ready: 'False', why: { type: 'Gone', reason: 'Gone', message: 'deleted' } }),
    ...(provider === undefined ? {} : { wanted: (row) => row.provider === provider }),
    columns: claimColumns(() => systemClock.now()),
    name: ({ name }) => `nodeclaim.karpenter.sh/${name}`,
    data: claimData,
    empty: 'No claims.',
    whenEmpty: failingPools,
  });
}
