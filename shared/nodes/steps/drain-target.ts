/** What a drain needs to know of its claim: plain data, so that the first round need not read the claim again. */
import { defined } from '../../base/defined.ts';
import { isTrue } from '../../kube/conditions.ts';
import { phaseOf } from '../claims/attempt/attempt.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { type StoredClaim, viewClaim } from './claim-access.ts';
import { deadlineOf } from './drain-deadline.ts';
import { nodePoolOf } from './pool-owner.ts';

export type DrainTarget = {
  providerID?: string;
  /**
   * In place of it: the provider that may have a machine which the claim does not name yet. Its Node may be registered already, because the
   * launch writes the Node first.
   */
  unrecorded?: string;
  nodeName?: string;
  /** Before that no pod was let onto the node. */
  registered: boolean;
  deadline?: number;
  nodepool: string;
};

export function drainTarget(claim: StoredClaim): DrainTarget {
  const { providerID, nodeName, conditions } = claim.status ?? {};
  const deadline = deadlineOf(claim);
  const view = viewClaim(claim);
  const unrecorded = !providerID && phaseOf(view) === 'open' ? view.record?.provider : undefined;
  return {
    ...(providerID ? { providerID } : {}),
    ...defined({ unrecorded }),
    ...(nodeName ? { nodeName } : {}),
    registered: isTrue(conditions, conditionTypes.registered),
    ...defined({ deadline }),
    nodepool: nodePoolOf(claim),
  };
}
