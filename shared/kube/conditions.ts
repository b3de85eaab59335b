/**
 * Conditions in the status of an object. `setCondition` returns the very array it was given when nothing changes, so that
 * callers can skip a write by comparing references.
 */
import { defined } from '../base/defined.ts';
import type { Condition, ConditionStatus } from '../base/kubernetes/object.ts';
import { cutText } from '../base/text.ts';

/** Longer messages are cut; Kubernetes would accept more, but nobody reads it, and each claim carries it around. */
export const maxMessageLength = 1024;
const maxReasonLength = 256;

export interface ConditionChange {
  type: string;
  status: ConditionStatus;
  /** CamelCase, one word. Without it, the name of the type stands here, as Karpenter does. */
  reason?: string;
  message?: string;
  /** When it came to pass, where that was before it could be written. In milliseconds since the epoch. */
  at?: number | undefined;
}

export interface ConditionContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** `metadata.generation` of the object that was looked at. */
  generation?: number | undefined;
}

/** The transition time moves only when the status does. */
export function setCondition(
  conditions: readonly Condition[],
  change: ConditionChange,
  context: ConditionContext,
): readonly Condition[] {
  const index = conditions.findIndex(({ type }) => type === change.type);
  const before = conditions[index];
  const generation = context.generation ?? before?.observedGeneration;
  const next: Condition = {
    type: change.type,
    status: change.status,
    reason: legalReason(change.reason ?? change.type) || change.type,
    message: cutText(change.message ?? '', maxMessageLength),
    lastTransitionTime:
      before !== undefined && before.status === change.status
        ? before.lastTransitionTime
        : toWireTime(change.at ?? context.now),
    ...defined({ observedGeneration: generation }),
  };
  if (before === undefined) return [...conditions, next];
  return same(before, next) ? conditions : conditions.with(index, next);
}

export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

export const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'True';

/** Times in Kubernetes objects have whole seconds. */
export const toWireTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** The API server refuses a whole status for one reason that is not a word; so what does not belong there is left out. */
const legalReason = (reason: string): string =>
  reason
    .replace(/[^A-Za-z0-9_,:]+/g, '')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, maxReasonLength)
    .replace(/[,:]+$/, '');

const same = (a: Condition, b: Condition): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  a.lastTransitionTime === b.lastTransitionTime &&
  a.observedGeneration === b.observedGeneration;
