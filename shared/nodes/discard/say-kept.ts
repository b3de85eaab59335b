/**
 * Where an account may not remove a machine for good, the cloud keeps it for a while. That counts as gone, because it does not run; but it
 * may count against limits, so the claim says so before its finalizer goes, and `explain` after that.
 */
import type { KeptByCloud } from '../../providers/contract.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import type { PollDiscardInput } from '../steps/answers.ts';
import { readClaim, type StoredClaim } from '../steps/claim-access.ts';
import type { ClaimContext } from '../steps/lookup.ts';
import { recordDecision } from '../steps/report/decision-log.ts';
import { sayConditions, terminatingConditions } from '../steps/report/say.ts';
import type { ClaimRef, LifecycleServices } from '../steps/services.ts';

/** @param claim Absent where only an attempt ends, and the claim goes on. */
export async function sayKept(
  services: LifecycleServices,
  { cluster }: ClaimContext,
  ref: ClaimRef,
  kept: KeptByCloud,
  claim: StoredClaim | undefined,
  context: ActivityContext,
): Promise<StoredClaim | undefined> {
  await recordDecision(services, ref, 'instance-kept', { ...kept });
  if (claim === undefined) return undefined;
  const message = `the instance does not run any more; the cloud keeps it as ${kept.state} until its own time is up`;
  const said = (fresh: StoredClaim) => terminatingConditions(fresh, message);
  return await sayConditions(services, cluster, ref, said, context.signal, claim);
}

/** A poll has not read the claim. */
export async function sayPolledKept(
  services: LifecycleServices,
  place: ClaimContext,
  { ref, ending }: PollDiscardInput,
  kept: KeptByCloud,
  context: ActivityContext,
): Promise<void> {
  const read = ending ? await readClaim(place.cluster, ref, context.signal) : undefined;
  await sayKept(services, place, ref, kept, read?.found === 'claim' ? read.claim : undefined, context);
}
