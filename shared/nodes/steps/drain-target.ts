/** What a drain needs to know of its claim: plain data, so that the first round need not read the claim again. */
import { defined } from '../../base/defined.ts';
import { isTrue } from '../../kube/conditions.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import type { StoredClaim } from './claim-access.ts';
import { deadlineOf } from './drain-deadline.ts';
import { nodePoolOf } from './pool-owner.ts';

export type DrainTarget = {
  providerID?: string;
  nodeName?: string;
  /** Before that no pod was let onto the node. */
  registered: boolean;
  deadline?: number;
  nodepool: string;
};

export function drainTarget(claim: StoredClaim): DrainTarget {
  const { providerID, nodeName, conditions } = claim.status ?? {};
  const deadline = deadlineOf(claim);
  return {
    ...(providerID ? { providerID } : {}),
    ...(nodeName ? { nodeName } : {}),
    registered: isTrue(conditions, conditionTypes.registered),
    ...defined({ deadline }),
    nodepool: nodePoolOf(claim),
  };
}
