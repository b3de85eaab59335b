/** fail: nothing can be had. A pool's claim is given back to its owner; anybody else's says why and is tried again later. */

import { pauseSeconds } from '../../../base/backoff.ts';
import { nodeClaims } from '../../../kube/contract.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { formatRecord } from '../../claims/attempt/annotation.ts';
import { type AttemptRecord, type ClaimView, failAttempt, postpone } from '../../claims/attempt/attempt.ts';
import { annotations, conditionTypes, labels } from '../../claims/spec/well-known.ts';
import { giveBackTurn } from '../../pauses/turns.ts';
import { rememberPoolFailure } from '../../pools/failures.ts';
import type { FailInput, FailResult, Passed } from '../../steps/answers.ts';
import {
  type ClaimChange,
  type ClaimRead,
  changeClaim,
  readClaim,
  type StoredClaim,
  statusChange,
  viewClaim,
  viewOf,
} from '../../steps/claim-access.ts';
import { findCluster, isAgain } from '../../steps/lookup.ts';
import { nodePoolOf, ownedByPool } from '../../steps/pool-owner.ts';
import { emitEvent } from '../../steps/report/claim-events.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { againAfter } from '../../steps/retry-later.ts';
import { type ClusterServices, type LifecycleServices, logFor } from '../../steps/services.ts';
import { statusPatch } from '../../steps/status.ts';
import { isRefused, unwritten } from '../../steps/unwritten.ts';

export const fail =
  (services: LifecycleServices) =>
  async (input: FailInput, context: ActivityContext): Promise<FailResult> => {
    const { ref, passed, failure, reason } = input;
    const cluster = await findCluster(services, ref);
    if (isAgain(cluster)) return cluster;
    const now = services.clock.now();

    const read = await readClaim(cluster, ref, context.signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return { do: 'refused', why: 'gone' };

    if (ownedByPool(read.claim)) return await giveBack(services, cluster, input, read, context);

    const { firstPauseSeconds: firstSeconds, maxPauseSeconds: maxSeconds } = services.settings;
    const failures = (read.view.record?.failures ?? 0) + 1;
    const pause = pauseSeconds(failures, {
      firstSeconds,
      maxSeconds,
      random: services.random,
      retryAfterSeconds: failure.retryAfterSeconds,
    });
    const at = now + Math.round(pause * 1000);
    const recorded = await changeClaim(
      cluster,
      ref,
      (fresh): ClaimChange<ReturnType<typeof failAttempt>> => {
        const view = viewOf(fresh);
        // An earlier execution wrote it and died before it could say so.
        if (passed && view?.record && isFailedBy(view.record, passed)) {
          return { write: undefined, result: { ok: true, record: view.record } };
        }
        const verdict = mayFail(view, input, at);
        if (!verdict.ok) return { write: undefined, result: verdict };
        const write = { metadata: { annotations: { [annotations.attempt]: formatRecord(verdict.record) } } };
        return { write, result: verdict };
      },
      context.signal,
      read,
    );
    if (!recorded.ok) {
      // The claim can't say why, so the Event has to.
      if (isRefused(recorded.failure))
        await emitEvent(services, cluster, read.claim, 'Warning', reason, failure.message);
      return await unwritten(services, cluster, read.claim, recorded.failure);
    }
    if (!recorded.result.ok) return { do: 'refused', why: recorded.result.why };
    const { retryAt = now } = recorded.result.record;
    const nextTry = new Date(retryAt).toISOString();
    await giveBackTurn(services, cluster, ref.uid);

    const said = await changeClaim(
      cluster,
      ref,
      (fresh): ClaimChange<null> => {
        if (fresh.found !== 'claim' || fresh.view.record?.state !== 'failed') return { write: undefined, result: null };
        const message = `${failure.message} (next retry at ${nextTry})`;
        const write = statusPatch(fresh.claim, now, [
          { type: conditionTypes.launched, status: 'False', reason, message },
        ]);
        return statusChange(write, null);
      },
      context.signal,
      // As the write above left it, so that it need not be read once more.
      recorded.claim && { found: 'claim', claim: recorded.claim, view: viewClaim(recorded.claim) },
    );
    if (!said.ok) return againAfter(said.failure);
    await emitEvent(services, cluster, read.claim, 'Warning', reason, failure.message);
    await recordDecision(services, ref, 'launch-failed', {
      reason,
      kind: failure.kind,
      message: failure.message,
      retryAt,
    });
    report(services, input, read.claim, context);
    // A little later, so that the wait never ends before the time has come.
    return { do: 'failed', seconds: Math.max(0, (retryAt - now) / 1000) + 0.1 };
  };

/** The rules, whoever owns the claim: a launch that comes late must not fail what another one has brought to an end since. */
const mayFail = (
  view: ClaimView | undefined,
  { ref, passed }: FailInput,
  at: number,
): ReturnType<typeof failAttempt> =>
  passed === undefined ? postpone(view, ref.uid, at) : failAttempt(view, ref.uid, passed.attempt, passed.closer, at);

/** A pool's claim is deleted, exactly as it was read: then its owner decides again. */
async function giveBack(
  services: LifecycleServices,
  cluster: ClusterServices,
  input: FailInput,
  { claim, view }: Extract<ClaimRead, { found: 'claim' }>,
  context: ActivityContext,
): Promise<FailResult> {
  const { ref, failure, reason } = input;
  const verdict = mayFail(view, input, services.clock.now());
  if (!verdict.ok) return { do: 'refused', why: verdict.why };
  await emitEvent(services, cluster, claim, 'Warning', reason, failure.message);
  // Before the claim is gone: afterwards only its pool can say why.
  await rememberPoolFailure(services, cluster.name, claim, reason, failure.message);
  const { uid, resourceVersion } = claim.metadata;
  const deleted = await cluster.api.delete(nodeClaims, { name: ref.name }, { uid, resourceVersion }, context.signal);
  if (!deleted.ok && deleted.error.kind !== 'not-found') {
    return againAfter(deleted.error, deleted.error.kind === 'conflict' ? 0.2 : 2);
  }
  await recordDecision(services, ref, 'given-back', { reason, kind: failure.kind, message: failure.message });
  report(services, input, claim, context);
  const nodepool = services.metrics.nodePool(nodePoolOf(claim));
  const capacityType = claim.metadata.labels?.[labels.capacityType] ?? '';
  services.metrics.nodeClaimsDisrupted.inc({ reason, nodepool, capacity_type: capacityType });
  if (!view.finalizer) await giveBackTurn(services, cluster, uid);
  return { do: 'failed' };
}

const isFailedBy = (record: AttemptRecord, { attempt, closer }: Passed): boolean =>
  record.state === 'failed' && record.attempt === attempt && record.closer?.id === closer.id;

/** Apart from claims that are ended: one that is kept fails again and again, and nothing of it was disrupted. */
function report(services: LifecycleServices, input: FailInput, claim: StoredClaim, context: ActivityContext): void {
  const { ref, reason, failure } = input;
  services.metrics.launchesFailed.inc({ reason, nodepool: services.metrics.nodePool(nodePoolOf(claim)) });
  logFor(services, ref, context.workflowId).write('claim.failed', { reason, problem: failure.message });
}
