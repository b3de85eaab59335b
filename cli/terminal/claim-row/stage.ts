/** How far a claim is, in one word. */
import { findCondition, isTrue } from '../../../shared/kube/conditions.ts';
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { conditionTypes, terminationFinalizer } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { ShownAttempt } from './attempt-of.ts';

/** What needs a person first, then in the order of a life. `Stuck`: its deletion fails, or takes too long. */
export const stages = [
  'Failed',
  'Stuck',
  'Waiting',
  'Creating',
  'Booting',
  'Joining',
  'Ready',
  'Draining',
  'Deleting',
] as const;
export type Stage = (typeof stages)[number];

export const isFailure = (stage: Stage): boolean => stage === 'Failed' || stage === 'Stuck';

/** A drain may take its time; `doctor` complains after as long. */
const longDeletionMs = 3600_000;

/** Waits that end without help. */
const passing: ReadonlySet<string> = new Set(['WaitingForTurn', 'Throttled']);

/** The cloud refuses to delete its instance, what is left is up to another controller, or it takes far too long. */
function isStuck({ metadata, status }: NodeClaim, now: number): boolean {
  const machine = findCondition(status?.conditions, conditionTypes.instanceTerminating);
  if (machine !== undefined && machine.status !== 'True' && !passing.has(machine.reason)) return true;
  const { finalizers = [], deletionTimestamp } = metadata;
  if (finalizers.length > 0 && !finalizers.includes(terminationFinalizer)) return true;
  return now - Date.parse(deletionTimestamp ?? '') > longDeletionMs;
}

/** And since when, as far as the claim tells. */
export function stageOf(
  claim: NodeClaim,
  attempt: ShownAttempt | undefined,
  now: number,
): { stage: Stage; since: string | undefined } {
  const { metadata, status } = claim;
  const conditions = status?.conditions;
  const since = (type: string): string | undefined => findCondition(conditions, type)?.lastTransitionTime;
  if (metadata.deletionTimestamp !== undefined) {
    if (isStuck(claim, now)) return { stage: 'Stuck', since: metadata.deletionTimestamp };
    const isDrained =
      findCondition(conditions, conditionTypes.instanceTerminating) !== undefined ||
      findCondition(conditions, conditionTypes.drained) === undefined;
    return { stage: isDrained ? 'Deleting' : 'Draining', since: metadata.deletionTimestamp };
  }
  if (isTrue(conditions, conditionTypes.ready)) return { stage: 'Ready', since: since(conditionTypes.ready) };
  if (isTrue(conditions, conditionTypes.registered))
    return { stage: 'Joining', since: since(conditionTypes.registered) };
  if (isTrue(conditions, conditionTypes.launched)) return { stage: 'Booting', since: since(conditionTypes.launched) };
  const launched = findCondition(conditions, conditionTypes.launched);
  if (launched?.status === 'False') return { stage: 'Failed', since: launched.lastTransitionTime };
  if (attempt?.state === 'open') return { stage: 'Creating', since: launched?.lastTransitionTime };
  return { stage: 'Waiting', since: metadata.creationTimestamp };
}
