/**
 * Why a claim is not ready, or not gone yet: the first condition on its way that does not hold, in words. What comes after it can't
 * hold either, and saying so would only hide the cause.
 */

import type { Condition } from '../base/kubernetes/object.ts';
import { findCondition, isTrue } from '../kube/conditions.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { annotations, conditionTypes, terminationFinalizer } from '../nodes/claims/spec/well-known.ts';
import { readyDependsOn } from '../nodes/steps/claim-conditions.ts';

export interface Unmet {
  /** The condition that does not hold; of a claim that is being deleted, the one that its end waits for. */
  type: string;
  /** The word for it in the catalog of errors, where it has one. */
  reason: string;
  message: string;
}

/** What a condition means as long as nobody has said more. */
const usual: Readonly<Record<string, string>> = {
  [conditionTypes.launched]: 'waiting for an instance',
  [conditionTypes.registered]: 'waiting for its node to join the cluster',
  [conditionTypes.initialized]: 'waiting for its node to be initialized',
  [conditionTypes.drained]: 'its node is being drained',
  [conditionTypes.volumesDetached]: 'waiting for volumes to be detached',
  [conditionTypes.instanceTerminating]: 'its instance is being deleted',
};

/** Undefined: all is well. */
export function firstUnmet({ metadata, status }: NodeClaim): Unmet | undefined {
  const conditions = status?.conditions ?? [];
  if (metadata.deletionTimestamp !== undefined) return ending(metadata.finalizers ?? [], conditions);
  const open = readyDependsOn.find((type) => !isTrue(conditions, type));
  if (open === undefined) {
    const ready = findCondition(conditions, conditionTypes.ready);
    return ready === undefined || ready.status === 'True' ? undefined : told(ready);
  }
  const condition = findCondition(conditions, open);
  if (condition !== undefined) return told(condition);
  if (conditions.length > 0) return { type: open, reason: open, message: usual[open] ?? '' };
  // The record is written before the machine is asked for, and a quick create says nothing else until it is there.
  if (metadata.annotations?.[annotations.attempt] !== undefined) {
    return { type: open, reason: 'Launching', message: 'an instance is being created' };
  }
  return { type: open, reason: 'NotSeenYet', message: 'no provisioner has processed it yet' };
}

/** One sentence; the reason in front is what `poolwright errors` explains. A reason that only repeats the condition says nothing. */
export function unmetText({ type, reason, message }: Unmet): string {
  return reason === type || reason === '' ? message : `${reason}: ${message}`;
}

function ending(finalizers: readonly string[], conditions: readonly Condition[]): Unmet {
  const others = finalizers.filter((one) => one !== terminationFinalizer);
  if (others.length === finalizers.length && others.length > 0) {
    const message = `its cloud resources are deleted, but finalizer ${others.join(', ')} keeps it: the controller that set the finalizer has to remove it`;
    return { type: 'Deleting', reason: 'ForeignFinalizer', message };
  }
  const machine = findCondition(conditions, conditionTypes.instanceTerminating);
  const before = [conditionTypes.drained, conditionTypes.volumesDetached]
    .map((type) => findCondition(conditions, type))
    .find((condition) => condition !== undefined && condition.status !== 'True');
  // Once the machine goes, what was not drained in time is no longer waited for.
  const waits = machine ?? before;
  if (waits === undefined) return { type: 'Deleting', reason: 'Deleting', message: 'it is being deleted' };
  const { type, reason, message } = told(waits);
  // Everybody must see at once that this claim is on its way out.
  return { type, reason: reason === type ? 'Deleting' : reason, message };
}

const told = ({ type, reason, message }: Condition): Unmet => ({
  type,
  reason: reason === '' ? type : reason,
  message: message === '' ? (usual[type] ?? `${type} is not True`) : message,
});
