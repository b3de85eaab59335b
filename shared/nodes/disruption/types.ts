/** NodePools as they come from the API server, and what the rules know about one claim of a pool. */

import type { Condition, ObjectMeta } from '../../base/kubernetes/object.ts';
import type { KubeObject } from '../../kube/contract.ts';
import type { NodePoolSpec, ResourceList } from '../claims/spec/types.ts';

/** Why a claim is replaced. The names are Karpenter's, except for `Expired`, which it does without a budget, and `InstanceDrifted`, which is ours. */
export type DriftReason = 'NodePoolDrifted' | 'RequirementsDrifted' | 'NodeClassDrifted' | 'InstanceDrifted';
export type OutdatedReason = DriftReason | 'Expired';

export interface Budget {
  /** A number, or a percentage of the pool's nodes. */
  nodes: string;
  /** Cron, in UTC. Without it the budget is always active. */
  schedule?: string;
  duration?: string;
  /** Which disruptions it is about; all when absent or empty. */
  reasons?: string[];
}

export interface StoredPool extends KubeObject {
  metadata: ObjectMeta & { resourceVersion: string; creationTimestamp: string };
  spec: NodePoolSpec & { disruption?: { budgets?: Budget[] } };
  status?: {
    nodes?: number;
    resources?: ResourceList;
    nodeClassObservedGeneration?: number;
    conditions?: Condition[];
  };
}

/** One claim of a static pool, reduced to what the plan depends on. */
export interface PoolClaim {
  name: string;
  uid: string;
  /** Milliseconds since the epoch, by the clock of the API server. */
  createdAt: number;
  deleting: boolean;
  /** It has a machine. */
  launched: boolean;
  /** Its node has joined and was ready once. */
  initialized: boolean;
  /** When that was, by our clock. */
  initializedAt?: number;
  /** Its node is ready now. */
  nodeReady: boolean;
  /** Somebody asked to leave its node alone. */
  doNotDisrupt: boolean;
  outdated?: OutdatedReason;
  /** How many pods would have to move, where that was looked at. */
  pods?: number;
  /** The name of the claim that this one was made to replace. */
  replaces?: string;
}
