/** What a request needs: which workflow, if any. Pure; whoever starts workflows asks it, and so does each workflow about itself. */
import { findCondition } from '../../kube/conditions.ts';
import {
  cancelled,
  carriedOutElsewhere,
  pausedReason,
  requestAnnotations,
  requestConditions,
  requestFinalizer,
} from '../request/marks.ts';
import type { StoredRequest } from '../store/contract.ts';
import { recordOf } from './record.ts';

export type RequestWorkflow = 'provision-cluster' | 'delete-cluster';

/** Reasons of a condition Ready that is not True while there is work to do. */
export const underWay = ['Provisioning', 'Updating'] as const;

export const isDeleting = ({ metadata }: StoredRequest): boolean => metadata.deletionTimestamp !== undefined;

export const isHeld = ({ metadata }: StoredRequest): boolean =>
  metadata.finalizers?.includes(requestFinalizer) ?? false;

export const isCancelled = ({ metadata }: StoredRequest): boolean =>
  metadata.annotations?.[requestAnnotations.cancel] === 'true';

/** Somebody else still owns what it describes. */
export const isCarriedOutElsewhere = ({ metadata }: StoredRequest): boolean =>
  (metadata.annotations?.[requestAnnotations.carriedOutBy] ?? 'direct') !== 'direct';

/** Somebody wants a request that has failed to be tried again now. */
export const isRetryWanted = (request: StoredRequest): boolean => {
  const wanted = request.metadata.annotations?.[requestAnnotations.retry];
  return wanted !== undefined && wanted !== recordOf(request)?.retrySeen;
};

export function wantedWorkflow(request: StoredRequest, now: number): RequestWorkflow | undefined {
  // One that nothing was begun for has no finalizer and is gone by itself.
  if (isDeleting(request)) return isHeld(request) ? 'delete-cluster' : undefined;
  const { metadata, status } = request;
  const ready = findCondition(status?.conditions, requestConditions.ready);
  if (isCarriedOutElsewhere(request)) {
    return ready?.reason === carriedOutElsewhere ? undefined : 'provision-cluster';
  }
  if (isCancelled(request)) return ready?.reason === cancelled ? undefined : 'provision-cluster';
  if (status === undefined || ready === undefined || status.observedGeneration !== metadata.generation) {
    return 'provision-cluster';
  }
  if (ready.status === 'True') return recordOf(request) === undefined ? 'provision-cluster' : undefined;
  if ([...underWay, pausedReason, cancelled, carriedOutElsewhere].some((reason) => reason === ready.reason)) {
    return 'provision-cluster';
  }
  if (isRetryWanted(request)) return 'provision-cluster';
  const retryAt = Date.parse(status.retryAt ?? '');
  return retryAt <= now ? 'provision-cluster' : undefined;
}
