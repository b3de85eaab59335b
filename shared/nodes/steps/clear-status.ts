/**
 * Takes back what the status says of an attempt that is over. The next attempt is opened only over a cleared status, so
 * `Launched` never speaks of a machine that is no longer meant.
 */
import { mayClear } from '../claims/attempt/attempt.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { type Changed, type ClaimChange, changeClaim, statusChange, viewOf } from './claim-access.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from './services.ts';
import { statusPatch } from './status.ts';

/** False: the claim is gone or its attempt is not over any more. */
export function clearStatus(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  attempt: number,
  why: { reason: string; message: string },
  signal?: AbortSignal,
): Promise<Changed<boolean>> {
  return changeClaim(
    cluster,
    ref,
    (read): ClaimChange<boolean> => {
      const verdict = mayClear(viewOf(read), ref.uid, attempt);
      if (!verdict.ok || read.found !== 'claim') return { write: undefined, result: false };
      const write = statusPatch(
        read.claim,
        services.clock.now(),
        [conditionTypes.launched, conditionTypes.registered, conditionTypes.initialized].map((type) => ({
          type,
          status: 'Unknown' as const,
          ...why,
        })),
        { providerID: null, nodeName: null, imageID: null, capacity: null, allocatable: null },
      );
      return statusChange(write, true);
    },
    signal,
  );
}
