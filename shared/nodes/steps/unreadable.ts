/**
 * A claim whose attempt record can't be understood: nobody may spend on it, so nothing happens, and nothing may happen in
 * silence. The claim says so as far as it can without touching what it says of a machine that may well run.
 */
import { parseRecord } from '../claims/attempt/annotation.ts';
import { annotations, conditionTypes } from '../claims/spec/well-known.ts';
import { type ClaimChange, changeClaim, type StoredClaim, statusChange, viewClaim } from './claim-access.ts';
import { refOf } from './ref.ts';
import { emitEventThrottled } from './report/claim-events.ts';
import { decisionText } from './report/decision-catalog.ts';
import { recordDecision } from './report/decision-log.ts';
import { type ClusterServices, type LifecycleServices, logFor } from './services.ts';
import { statusPatch } from './status.ts';

const reason = 'AttemptUnreadable';

/** Does nothing for a claim whose record is as it should be, and for one that is going anyway. */
export async function sayUnreadable(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal?: AbortSignal,
): Promise<void> {
  const problem = problemOf(claim);
  if (problem === undefined || claim.metadata.deletionTimestamp !== undefined) return;
  const message = decisionText('record-unreadable', { problem });
  const ref = refOf(cluster.name, claim);
  await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      // A condition that is True speaks of a machine; it stays until somebody has repaired the record.
      if (read.found !== 'claim' || read.view.launched || problemOf(read.claim) === undefined)
        return { write: undefined, result: null };
      const change = { type: conditionTypes.launched, status: 'Unknown' as const, reason, message };
      const write = statusPatch(read.claim, services.clock.now(), [change]);
      return statusChange(write, null);
    },
    signal,
  );
  await recordDecision(services, ref, 'record-unreadable', { problem });
  if (!(await emitEventThrottled(services, cluster, claim, 'Warning', reason, message))) return;
  logFor(services, ref).write('claim.unreadable', { problem: message });
}

function problemOf(claim: StoredClaim): string | undefined {
  if (!viewClaim(claim).unreadable) return undefined;
  const parsed = parseRecord(claim.metadata.annotations?.[annotations.attempt], claim.metadata.uid);
  return 'unreadable' in parsed ? parsed.unreadable : 'it is not a string';
}
