/** A delete never gives up; it says what holds it up, because a machine that can't be deleted costs money. */

import type { Failure } from '../../base/result.ts';
import { decide, type ProviderPhase, pauseAfter } from '../claims/decisions.ts';
import { type ClaimChange, changeClaim, statusChange } from '../steps/claim-access.ts';
import { emitEventThrottled } from '../steps/report/claim-events.ts';
import { type Again, againAfter } from '../steps/retry-later.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../steps/services.ts';
import { statusPatch } from '../steps/status.ts';

/** A look that fails for a moment changes nothing; one that fails for longer is what the claim waits for. */
const quietMs = 60_000;

/** The provider would not delete. */
export const notDeleted = (
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  failure: Failure,
  signal: AbortSignal,
): Promise<Again> =>
  heldUp(
    services,
    cluster,
    ref,
    failure,
    { what: 'the instance cannot be deleted', afterMs: 0, stays: 'delete' },
    signal,
  );

/** The provider would not say what is left. Nothing that it says of the look alone is worth a write at once. */
export const notLookedFor = (
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  failure: Failure,
  signal: AbortSignal,
): Promise<Again> => {
  const needsSomebody = decide('delete', failure).event !== undefined;
  const what = "the host cannot list the claim's remaining instances at the provider";
  const afterMs = needsSomebody ? 0 : quietMs;
  return heldUp(services, cluster, ref, failure, { what, afterMs, stays: 'create' }, signal);
};

interface HeldUp {
  what: string;
  afterMs: number;
  /** As what a claim hears of it that stays, and only cleans up after an attempt that failed. */
  stays: ProviderPhase;
}

async function heldUp(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  failure: Failure,
  { what, afterMs, stays }: HeldUp,
  signal: AbortSignal,
): Promise<Again> {
  const decision = decide('delete', failure);
  const message = `${what}: ${failure.message}`;
  const said = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      // An attempt that is passed over is not the end of its claim.
      if (read.found !== 'claim' || !read.view.deleting || !decision.condition)
        return { write: undefined, result: null };
      const now = services.clock.now();
      if (now - Date.parse(read.claim.metadata.deletionTimestamp ?? '') < afterMs)
        return { write: undefined, result: null };
      const write = statusPatch(read.claim, now, [{ ...decision.condition, message }]);
      return statusChange(write, null);
    },
    signal,
  );
  const isDeleting = said.ok && said.claim?.metadata.deletionTimestamp !== undefined;
  const { event } = isDeleting ? decision : decide(stays, failure);
  if (said.ok && said.claim && decision.event && event) {
    await emitEventThrottled(services, cluster, said.claim, event.type, event.reason, message);
  }
  return againAfter(failure, pauseAfter(decision, failure, 1, services.random));
}
