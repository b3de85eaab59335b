/** Cancel and retry: annotations on the request, so that a command, the API and kubectl do the same. */

import type { Failure } from '../../base/result.ts';
import { findCondition } from '../../kube/conditions.ts';
import { requestAnnotations, requestConditions } from '../request/marks.ts';
import type { RequestPlace } from '../services.ts';
import { isCancelled, isDeleting } from '../steps/phase.ts';
import { changeRequest } from '../steps/request-access.ts';
import type { RequestName, StoredRequest } from '../store/contract.ts';

export type MarkOutcome =
  | { outcome: 'done'; request: StoredRequest; changed: boolean }
  /** It makes no sense now: why, as a sentence. */
  | { outcome: 'pointless'; why: string }
  | { outcome: 'failed'; failure: Failure };

const isReady = ({ status }: StoredRequest): boolean =>
  findCondition(status?.conditions, requestConditions.ready)?.status === 'True';

const where = ({ metadata }: StoredRequest): string => `${metadata.namespace}/${metadata.name}`;

/** Nothing more is made; what was made stays until the request is deleted. */
export const cancelRequest = (place: Pick<RequestPlace, 'store'>, name: RequestName, signal?: AbortSignal) =>
  mark(place, name, signal, (request) => {
    if (isDeleting(request)) return { pointless: `The request ${where(request)} is being deleted.` };
    if (isCancelled(request)) return undefined;
    if (isReady(request)) {
      return {
        pointless: `The cluster of ${where(request)} is ready, so nothing is left to cancel. To remove it, delete the request.`,
      };
    }
    return { [requestAnnotations.cancel]: 'true' };
  });

/** Tries again at once what has failed or is held up, and goes on with what was cancelled. @param mark A value that was never used. */
export const retryRequest = (
  place: Pick<RequestPlace, 'store'>,
  name: RequestName,
  value: string,
  signal?: AbortSignal,
) =>
  mark(place, name, signal, (request) => {
    if (isDeleting(request)) return { pointless: `The request ${where(request)} is being deleted.` };
    if (isReady(request) && !isCancelled(request)) {
      return { pointless: `The cluster of ${where(request)} is ready, so there is nothing to retry.` };
    }
    return { [requestAnnotations.retry]: value, [requestAnnotations.cancel]: null };
  });

type Annotations = Record<string, string | null>;

async function mark(
  place: Pick<RequestPlace, 'store'>,
  name: RequestName,
  signal: AbortSignal | undefined,
  decide: (request: StoredRequest) => Annotations | { pointless: string } | undefined,
): Promise<MarkOutcome> {
  const found = await place.store.get(name, signal);
  if (!found.ok) return { outcome: 'failed', failure: found.error };
  let pointless: string | undefined;
  const ref = { cluster: place.store.name, ...name, uid: found.value.metadata.uid ?? '' };
  const written = await changeRequest(
    place,
    ref,
    (request) => {
      const decided = decide(request);
      pointless = typeof decided?.pointless === 'string' ? decided.pointless : undefined;
      return decided === undefined || pointless !== undefined
        ? undefined
        : { metadata: { annotations: decided as Annotations } };
    },
    signal,
    found.value,
  );
  if (!written.ok) return { outcome: 'failed', failure: written.failure };
  if (pointless !== undefined) return { outcome: 'pointless', why: pointless };
  const request = written.request ?? found.value;
  return {
    outcome: 'done',
    request,
    changed: request.metadata.resourceVersion !== found.value.metadata.resourceVersion,
  };
}
