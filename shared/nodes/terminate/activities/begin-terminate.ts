/** beginTerminate and launchStopped: is this claim really being deleted, and has its launch let go of it? */

import type { ActivityContext } from '../../../workflow/contract.ts';
import { lacksItsRecord, neverBought, phaseOf, settleSeconds, terminateSettles } from '../../claims/attempt/attempt.ts';
import { terminationFinalizer } from '../../claims/spec/well-known.ts';
import { notLookedFor } from '../../discard/delete-held-up.ts';
import type { BeginTerminateResult } from '../../steps/answers.ts';
import { type ClaimRead, readClaim, type StoredClaim, takeEndingClaim } from '../../steps/claim-access.ts';
import { drainTarget } from '../../steps/drain-target.ts';
import {
  type ClaimContext,
  findClaimContext,
  findCluster,
  heldElsewhere,
  isAgain,
  withoutProvider,
} from '../../steps/lookup.ts';
import { ableProviders } from '../../steps/provider-choice.ts';
import { beganBy, type Cause } from '../../steps/report/cause.ts';
import { emitEventThrottled } from '../../steps/report/claim-events.ts';
import { decisionText } from '../../steps/report/decision-catalog.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { type Again, againAfter, lookSignal } from '../../steps/retry-later.ts';
import {
  type ClaimRef,
  type ClusterServices,
  type LifecycleServices,
  logFor,
  workflowKey,
} from '../../steps/services.ts';

const foreign = { finalizer: terminationFinalizer };

export const beginTerminate =
  (services: LifecycleServices) =>
  async ({ ref, cause }: { ref: ClaimRef; cause?: Cause }, context: ActivityContext): Promise<BeginTerminateResult> => {
    const cluster = await findCluster(services, ref);
    if (isAgain(cluster)) return cluster;
    const read = await readEnding(services, cluster, ref, context.signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return { do: 'end', why: 'the claim is gone' };
    const { claim, view } = read;
    if (!view.deleting) return { do: 'end', why: 'the claim is not being deleted' };
    if (!view.finalizer) return { do: 'end', why: 'the claim does not have our finalizer' };
    if (await launchRuns(services, ref)) return { do: 'launch-runs' };

    const recorded = view.record?.provider;
    const holder = recorded
      ? await findClaimContext(services, ref, recorded)
      : await lookForHolder(services, cluster, ref, claim, context.signal);
    if ('do' in holder) return holder;
    const place = holder;
    const elsewhere = await heldElsewhere(services, place, ref, view.record);
    if (elsewhere) return elsewhere;
    const bare = 'holds' in holder && !holder.holds;
    if (bare && lacksItsRecord(view)) {
      const why = decisionText('foreign-end', foreign);
      await emitEventThrottled(services, place.cluster, claim, 'Warning', 'ForeignInstance', why);
      await recordDecision(services, ref, 'foreign-end', foreign, beganBy(cause));
      return { do: 'end', why };
    }

    logFor(services, ref, context.workflowId).write('claim.terminating', { phase: phaseOf(view) });
    // A finalizer without a record is a predecessor's: what it made for this claim is looked for, whatever the status says.
    const empty = neverBought(view) && bare;
    // Without a record nobody knows where a write may be on its way.
    const where = recorded ? [place.provider] : ableProviders(cluster, claim);
    const longest = Math.max(...where.map(({ traits }) => settleSeconds(traits)));
    const settle = terminateSettles(view) && !empty ? longest : 0;
    const begun = { attempt: view.record?.attempt ?? 0, phase: phaseOf(view), settleSeconds: settle };
    await recordDecision(services, ref, 'end-begun', begun, beganBy(cause));
    const provider = place.provider.name;
    return { do: 'go', provider, settleSeconds: settle, at: services.clock.now(), empty, target: drainTarget(claim) };
  };

/** Without a record only a look tells which of the providers has the claim's machine, if any has. */
async function lookForHolder(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<(ClaimContext & { holds: boolean }) | Again> {
  let bare: ClaimContext | undefined;
  for (const { name } of ableProviders(cluster, claim)) {
    const place = await findClaimContext(services, ref, name);
    if (isAgain(place)) return place;
    const found = await place.provider.find(place.claim, signal);
    if (!found.ok) return await notLookedFor(services, cluster, ref, found.error, signal);
    if (found.value.length > 0) return { ...place, holds: true };
    bare ??= place;
  }
  if (bare) return { ...bare, holds: false };
  return await withoutProvider(services, cluster, ref, 'no configured provider serves the node class of this claim');
}

/** A reading that was handed over may begin an end, because whoever is being deleted stays so; it never calls one off. */
async function readEnding(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  signal: AbortSignal,
): Promise<ClaimRead> {
  const read = await takeEndingClaim(services, cluster, ref, signal);
  const begins = read.found === 'claim' && read.view.deleting && read.view.finalizer;
  return begins || !('handed' in read) ? read : readClaim(cluster, ref, signal);
}

async function launchRuns(services: LifecycleServices, ref: ClaimRef): Promise<boolean> {
  const key = workflowKey(ref, 'launch');
  const latest = await services.workflows.latest(key);
  if (latest?.status !== 'running') return false;
  await services.workflows.signal(key, lookSignal);
  return true;
}

export const launchStopped =
  (services: LifecycleServices) =>
  async ({ ref }: { ref: ClaimRef }): Promise<{ done: true; value: null } | { done: false }> =>
    (await launchRuns(services, ref)) ? { done: false } : { done: true, value: null };
