/** How far a claim is, in a few words: the first line of what `explain` says. */
import { parseRecord } from '../nodes/claims/attempt/annotation.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { annotations, conditionTypes } from '../nodes/claims/spec/well-known.ts';
import type { DiagnosisFacts } from './diagnosis-facts.ts';
import { conditionOf, duration, isDeleting, isReadyClaim, isTrue } from './diagnosis-words.ts';

export function stateOf({ claim, isGone, now }: DiagnosisFacts): string {
  if (!claim) return isGone ? 'gone' : 'unknown';
  const parts = [stageOf(claim), attemptOf(claim), isDeleting(claim) ? undefined : ageWords(claim, now)];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** How long ago it was made. */
export function ageOf({ metadata }: NodeClaim, now: number): string | undefined {
  const at = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isFinite(at) ? duration(now - at) : undefined;
}

function ageWords(claim: NodeClaim, now: number): string | undefined {
  const age = ageOf(claim, now);
  return age === undefined ? undefined : `${age} old`;
}

function stageOf(claim: NodeClaim): string {
  const { nodeName } = claim.status ?? {};
  if (isDeleting(claim)) {
    if (conditionOf(claim, conditionTypes.instanceTerminating) !== undefined)
      return 'being deleted, instance terminating';
    return nodeName === undefined ? 'being deleted' : `being deleted, node ${nodeName} draining`;
  }
  if (isReadyClaim(claim)) return `ready${nodeName === undefined ? '' : ` as node ${nodeName}`}`;
  if (isTrue(claim, conditionTypes.registered)) return 'registered, not ready';
  if (isTrue(claim, conditionTypes.launched)) return 'launched, no node yet';
  return 'not launched';
}

function attemptOf({ metadata }: NodeClaim): string | undefined {
  const parsed = parseRecord(metadata.annotations?.[annotations.attempt], metadata.uid);
  if ('unreadable' in parsed) return 'attempt unreadable';
  if (!('record' in parsed) || parsed.record.attempt === 0) return undefined;
  const { attempt, state, provider } = parsed.record;
  return `attempt ${attempt} with ${provider}${state === 'open' ? '' : ` ${state}`}`;
}
