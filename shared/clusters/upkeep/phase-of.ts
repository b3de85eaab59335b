/** What a request is doing, in one word, for metrics. Pure. */
import { findCondition } from '../../kube/conditions.ts';
import { pausedReason, requestConditions } from '../request/marks.ts';
import { isCancelled, isCarriedOutElsewhere, isDeleting, underWay } from '../steps/phase.ts';
import type { StoredRequest } from '../store/contract.ts';

export const requestPhases = ['new', 'provisioning', 'updating', 'ready', 'failed', 'set-aside', 'deleting'] as const;
export type RequestPhase = (typeof requestPhases)[number];

const [provisioning, updating] = underWay;

export function phaseOf(request: StoredRequest): RequestPhase {
  if (isDeleting(request)) return 'deleting';
  if (isCancelled(request) || isCarriedOutElsewhere(request)) return 'set-aside';
  const ready = findCondition(request.status?.conditions, requestConditions.ready);
  if (ready === undefined) return 'new';
  if (ready.status === 'True') return 'ready';
  if (ready.reason === provisioning) return 'provisioning';
  if (ready.reason === updating) return 'updating';
  // A pause is a user's wish, and no failure.
  return request.spec.dryRun === true || ready.reason === pausedReason ? 'set-aside' : 'failed';
}
