/** The end of a lifetime: people are told, then the request is deleted, and with it everything that it has made. */
import { expiry } from '../activities/begin.ts';
import { wakeRequest } from '../ensure.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { isCarriedOutElsewhere, isDeleting } from '../steps/phase.ts';
import { logFor } from '../steps/place.ts';
import { refOf } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';

/** A receiver that is away holds the end up for so long and no longer. */
const tellWithinMs = 600_000;

/** Whether it was deleted now. A change that came in between decides in the next round. */
export async function expire(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  signal?: AbortSignal,
): Promise<boolean> {
  const end = endOf(request);
  const now = services.clock.now();
  if (end === undefined || now < end) return false;
  const ref = refOf(place.name, request);
  const log = logFor(services, ref);
  const notice = { type: 'expired' as const, ref, id: `${ref.uid}/expired`, at: now, request };
  const told = await place.notifier?.notify(notice, signal);
  if (told?.ok === false) {
    log.write('cluster-request.notice.failed', { problem: told.error.message });
    if (now < end + tellWithinMs) return false;
  }
  const { uid, resourceVersion } = request.metadata;
  const deleted = await place.store.delete(ref, { uid, resourceVersion }, signal);
  if (!deleted.ok) {
    if (deleted.error.kind !== 'conflict' && deleted.error.kind !== 'not-found') {
      log.write('cluster-request.removal.undecided', { problem: deleted.error.message });
    }
    return false;
  }
  log.write('cluster-request.expired', { lifetime: request.spec.lifetime });
  await wakeRequest(services, ref, signal);
  return true;
}

/** A guarded cluster does not end by itself, and what somebody else carries out is not ours to end. */
function endOf(request: StoredRequest): number | undefined {
  if (isDeleting(request) || isCarriedOutElsewhere(request) || request.spec.deleteGuard === true) return undefined;
  const end = Date.parse(expiry(request) ?? '');
  return Number.isNaN(end) ? undefined : end;
}
