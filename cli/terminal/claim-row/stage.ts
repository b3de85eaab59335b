/** How far a claim is, in one word. */
import { findCondition, isTrue } from '../../../shared/kube/conditions.ts';
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { conditionTypes } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { ShownAttempt } from './attempt-of.ts';

/** In the order of a life. */
export const stages = ['Failed', 'Waiting', 'Creating', 'Booting', 'Joining', 'Ready', 'Draining', 'Deleting'] as const;
export type Stage = (typeof stages)[number];

/** And since when, as far as the claim tells. */
export function stageOf(
  { metadata, status }: NodeClaim,
  attempt: ShownAttempt | undefined,
): { stage: Stage; since: string | undefined } {
  const conditions = status?.conditions;
  const since = (type: string): string | undefined => findCondition(conditions, type)?.lastTransitionTime;
  if (metadata.deletionTimestamp !== undefined) {
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
