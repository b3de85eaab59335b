/** Small questions that several rules ask, and the words in which all of them answer. */

import type { Condition } from '../base/kubernetes/object.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { conditionTypes } from '../nodes/claims/spec/well-known.ts';
import type { DecisionFact, DiagnosisFacts, WorkflowFact } from './diagnosis-facts.ts';

export const conditionOf = (claim: NodeClaim | undefined, type: string): Condition | undefined =>
  claim?.status?.conditions?.find((one) => one.type === type);

export const isTrue = (claim: NodeClaim | undefined, type: string): boolean =>
  conditionOf(claim, type)?.status === 'True';

export const isDeleting = (claim: NodeClaim): boolean => claim.metadata.deletionTimestamp !== undefined;

export const isReadyClaim = (claim: NodeClaim): boolean => isTrue(claim, conditionTypes.ready);

export const newest = (decisions: readonly DecisionFact[]): DecisionFact | undefined => decisions.at(-1);

/** The one that is in this state; an end before a launch, because it has the last word. */
export const workflowOf = ({ workflows }: DiagnosisFacts, status: string): WorkflowFact | undefined =>
  workflows.findLast((one) => one.status === status);

/** Since when a condition says what it says; undefined for a time that is none. */
export function sinceOf(condition: Condition | undefined): { since?: number } {
  const at = Date.parse(condition?.lastTransitionTime ?? '');
  return Number.isFinite(at) ? { since: at } : {};
}

/** UTC, as in the log and in the cluster. */
export const timeOfDay = (at: number): string => `${new Date(at).toISOString().slice(11, 19)}Z`;

/** `3 s`, `2 min 5 s`, `1 h 2 min`, `3 d 4 h`: the two largest parts. */
export function duration(milliseconds: number): string {
  const whole = Math.max(0, Math.round(milliseconds / 1000));
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([number]) => number > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([number]) => number > 0)
    .map(([number, unit]) => `${number} ${unit}`)
    .join(' ');
}
