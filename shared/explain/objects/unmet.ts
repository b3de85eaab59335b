/** Why a pool or a node class is not what it should be, in one condition: what `get`, `top`, `doctor` and `explain` agree on. */
import type { Condition } from '../../base/kubernetes/object.ts';
import { findCondition } from '../../kube/conditions.ts';
import type { KubeObject } from '../../kube/contract.ts';
import { conditionTypes } from '../../nodes/claims/spec/well-known.ts';
import type { StoredPool } from '../../nodes/disruption/types.ts';
import { conditionsOf, type WithStatus } from '../../nodes/pools/object-status.ts';
import type { Unmet } from '../first-unmet.ts';

export interface ObjectUnmet extends Unmet {
  /** `failed`: it does not get better without a change. `waiting`: it may. */
  severity: 'failed' | 'waiting';
  since?: string;
}

/** In the order in which one hides the next. */
const poolOrder = ['ValidationSucceeded', 'NodeClassReady', 'NodeRegistrationHealthy', conditionTypes.ready];

/** Undefined: all is well. */
export function poolUnmet(pool: StoredPool): ObjectUnmet | undefined {
  if (pool.metadata.deletionTimestamp !== undefined) return deleting(pool);
  const conditions = conditionsOf(pool);
  const isReady = findCondition(conditions, conditionTypes.ready)?.status === 'True';
  for (const type of poolOrder) {
    const condition = findCondition(conditions, type);
    // What Ready does not depend on right now speaks of a spec that is over.
    if (!condition || condition.status === 'True' || isReady) continue;
    return told(condition);
  }
  if (conditions.length === 0) {
    return { type: conditionTypes.ready, reason: 'NotSeenYet', message: 'no host has processed it yet', ...waiting };
  }
  const { replicas } = pool.spec;
  const nodes = pool.status?.nodes ?? 0;
  if (replicas === undefined || nodes >= replicas) return undefined;
  return { type: 'Nodes', reason: 'Scaling', message: `${nodes} of ${replicas} nodes have joined`, ...waiting };
}

export function nodeClassUnmet(nodeClass: WithStatus, { optional = false }: { optional?: boolean } = {}) {
  if (nodeClass.metadata.deletionTimestamp !== undefined) return deleting(nodeClass);
  const ready = findCondition(conditionsOf(nodeClass), conditionTypes.ready);
  if (ready) return ready.status === 'True' ? undefined : told(ready);
  // The status of a kind that Poolwright does not need is another provisioner's.
  if (optional) return undefined;
  const unseen: ObjectUnmet = {
    type: conditionTypes.ready,
    reason: 'NotSeenYet',
    message: 'no host has checked it yet',
    ...waiting,
  };
  return unseen;
}

const waiting = { severity: 'waiting' } as const;

const deleting = ({ metadata }: KubeObject): ObjectUnmet => ({
  type: 'Deleting',
  reason: 'Deleting',
  message: 'it is being deleted',
  ...(metadata.deletionTimestamp === undefined ? {} : { since: metadata.deletionTimestamp }),
  ...waiting,
});

const told = ({ type, status, reason, message, lastTransitionTime }: Condition): ObjectUnmet => ({
  type,
  reason: reason || type,
  message: message || `${type} is ${status}`,
  severity: status === 'False' ? 'failed' : 'waiting',
  since: lastTransitionTime,
});
