/** pollCreate and findCreated: is the instance there? */

import { defined } from '../../../base/defined.ts';
import type { Result } from '../../../base/result.ts';
import type { CreateProgress, Instance } from '../../../providers/contract.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { mayRecord } from '../../claims/attempt/attempt.ts';
import { decide, pauseAfter } from '../../claims/decisions.ts';
import { markFailed, markRefused } from '../../offerings/unavailable-offerings.ts';
import { endOperationTurn, keepOperationTurn } from '../../pauses/operation-turns.ts';
import type { FindCreatedInput, FindCreatedResult, PollCreateInput, PollCreateResult } from '../../steps/answers.ts';
import { readClaim, takeClaim, viewOf } from '../../steps/claim-access.ts';
import { handOver } from '../../steps/claim-handover.ts';
import { viewInstance } from '../../steps/instance-view.ts';
import { findClaimContext, heldElsewhere, isAgain } from '../../steps/lookup.ts';
import { callDetail } from '../../steps/report/call-detail.ts';
import { emitEventThrottled } from '../../steps/report/claim-events.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { type Again, againAfter } from '../../steps/retry-later.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';
import { sayLaunching, setWaitingCondition } from '../../steps/waiting.ts';
import { foundSeconds } from '../create.ts';

type Polled = { done: true; value: PollCreateResult } | { done: false; retryAfterSeconds?: number };

/** A claim that is deleted in mid-create must not wait for the cloud's own idea of when to ask again. */
const maxPauseSeconds = 10;
/** What takes longer than this is said on the claim. */
const sayAfterSeconds = 5;

export const pollCreate =
  (services: LifecycleServices) =>
  async (input: PollCreateInput, context: ActivityContext): Promise<Polled> => {
    const { ref, attempt } = input;
    const place = await findClaimContext(services, ref, input.provider);
    // Time in which we may not ask says nothing about the machine.
    const heldUp = ({ seconds }: Again): Polled => {
      const now = services.clock.now();
      const spentSeconds = Math.max(0, (now - input.since) / 1000);
      return { done: true, value: { do: 'held-up', seconds, spentSeconds, goesOnAt: now + seconds * 1000 } };
    };
    if (isAgain(place)) return heldUp(place);
    let read = await takeClaim(services, place.cluster, ref, context.signal);
    const mayGoOn = (): Polled | undefined => {
      if (read.found === 'unknown') return { done: false, retryAfterSeconds: 2 };
      const view = viewOf(read);
      const expected = { providerID: '', claimUid: ref.uid, attempt, deleting: false };
      const stillOurs = mayRecord(view && { ...view, launched: false }, ref.uid, attempt, expected);
      return stillOurs.ok ? undefined : { done: true, value: { do: 'refused', why: stillOurs.why } };
    };
    const wasHanded = read.found === 'claim' && read.handed;
    const stop = wasHanded ? undefined : mayGoOn();
    // Whoever took the claim from this launch goes on with its turn; where there is no claim, nobody does.
    if (stop && read.found !== 'claim' && read.found !== 'unknown') await endOperationTurn(services, place, ref.uid);
    if (stop) return stop;
    const elsewhere = await heldElsewhere(services, place, ref, read.found === 'claim' ? read.view.record : undefined);
    if (elsewhere) return heldUp(elsewhere);

    const polled = await place.provider.pollCreate(input.handle, context.signal);
    const progress = polled.ok ? polled.value : undefined;
    // At once: whoever waits for the turn should not wait for what we have to write about it.
    if (isOver(polled)) await endOperationTurn(services, place, ref.uid);
    else await keepOperationTurn(services, place, ref.uid, progress?.done === false ? progress.retryAfterSeconds : 0);
    await markRefused(services, place.provider.name, progress?.refused);
    if (progress?.done) {
      if (read.found === 'claim') handOver(services, place.cluster, read.claim);
      return { done: true, value: { do: 'created', instance: progress.instance } };
    }
    // Nobody waits on the strength of what was handed over: the claim may be deleted by now.
    if (wasHanded) {
      read = await readClaim(place.cluster, ref, context.signal);
      const stopNow = mayGoOn();
      if (stopNow) return stopNow;
    }
    if (read.found === 'unknown') return { done: false, retryAfterSeconds: 2 };
    const view = viewOf(read);
    if (progress) {
      if (read.found === 'claim') handOver(services, place.cluster, read.claim);
      const long = services.clock.now() - input.since >= sayAfterSeconds * 1000;
      if (long && view?.record)
        await sayLaunching(services, place.cluster, ref, place.provider, view.record, context.signal);
      return { done: false, retryAfterSeconds: Math.min(progress.retryAfterSeconds, maxPauseSeconds) };
    }
    if (polled.ok) return { done: false };
    const { error } = polled;
    const decision = decide('poll', error);
    const { offering } = view?.record ?? {};
    if (offering) await markFailed(services, place.provider.name, 'poll', { offering }, error);
    if (decision.action === 'next-offering' || decision.action === 'fail') {
      const call = callDetail(place.provider.name, 'pollCreate', error);
      await recordDecision(
        services,
        ref,
        'create-rejected',
        { attempt, kind: error.kind, message: error.message },
        call,
      );
      const final = decision.action === 'fail';
      // The next attempt would be answered the same right away: as after the refusal of a create.
      const seconds = error.spent && !final ? pauseAfter(decision, error, attempt, services.random) : undefined;
      return { done: true, value: { do: 'rejected', failure: error, final, ...defined({ seconds }) } };
    }
    if (decision.event && read.found === 'claim') {
      const { type, reason } = decision.event;
      await emitEventThrottled(services, place.cluster, read.claim, type, reason, error.message);
    }
    // What somebody has to mend is said at once, and not only when the time is up; what passes by itself is not worth a write.
    if (decision.condition && (decision.event || !decision.countsAgainstDeadline)) {
      await setWaitingCondition(services, place.cluster, ref, decision.condition.reason, error.message, context.signal);
    }
    const seconds = pauseAfter(decision, error, input.heldUp + 1, services.random);
    if (decision.countsAgainstDeadline) {
      return { done: false, retryAfterSeconds: Math.min(seconds, maxPauseSeconds) };
    }
    const now = services.clock.now();
    const spentSeconds = Math.max(0, (now - input.since) / 1000);
    return { done: true, value: { do: 'held-up', seconds, spentSeconds, goesOnAt: now + seconds * 1000 } };
  };

/** Whether the cloud's operation is: a Node that is missing may take long, but keeps nobody from the next operation. */
function isOver(polled: Result<CreateProgress>): boolean {
  if (polled.ok) return polled.value.done || polled.value.operationEnded === true;
  const { action } = decide('poll', polled.error);
  return action === 'next-offering' || action === 'fail';
}

export const findCreated =
  (services: LifecycleServices) =>
  async (input: FindCreatedInput, context: ActivityContext): Promise<FindCreatedResult> => {
    const { ref, attempt } = input;
    const place = await findClaimContext(services, ref, input.provider);
    if (isAgain(place)) return place;
    const found = await place.provider.find(place.claim, context.signal);
    if (!found.ok) return againAfter(found.error, 3);
    const instance = found.value.find((one) => one.owner.attempt === attempt && one.state !== 'deleting');
    const read = await readClaim(place.cluster, ref, context.signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (!instance) return { do: 'nothing' };
    return created(services, place.cluster, instance, read);
  };

function created(
  services: LifecycleServices,
  cluster: ClusterServices,
  instance: Instance,
  read: Exclude<Awaited<ReturnType<typeof readClaim>>, { found: 'unknown' }>,
): FindCreatedResult {
  const { claimUid, attempt } = instance.owner;
  const view = viewOf(read);
  const verdict = mayRecord(view, claimUid, attempt, viewInstance(instance, cluster, view));
  if (!verdict.ok) return { do: 'refused', why: verdict.why };
  const { handle } = instance;
  if (handle === undefined) return { do: 'created', instance };
  return { do: 'creating', attempt, handle, seconds: foundSeconds, at: services.clock.now() };
}
