/** What the provider's answer means for the attempt. */

import type { Failure } from '../../../../base/result.ts';
import type { CreateProgress } from '../../../../providers/contract.ts';
import { offeringRef } from '../../../claims/choice/offerings.ts';
import { type Consequence, decide, pauseAfter } from '../../../claims/decisions.ts';
import { markFailed, markRefused } from '../../../offerings/unavailable-offerings.ts';
import type { BeginCreateResult } from '../../../steps/answers.ts';
import { callDetail } from '../../../steps/report/call-detail.ts';
import { emitEventThrottled } from '../../../steps/report/claim-events.ts';
import { recordDecision } from '../../../steps/report/decision-log.ts';
import { logFor } from '../../../steps/services.ts';
import { sayLaunching, setWaitingCondition } from '../../../steps/waiting.ts';
import type { Called } from './facts.ts';

const nameTaken = 'NameTaken';
/** A cloud that says so long before anything can be asked: the claim says meanwhile that it is being launched. */
const longSeconds = 30;

export const judge = (facts: Called): Promise<BeginCreateResult> =>
  facts.answer.ok ? accepted(facts, facts.answer.value) : rejected(facts, facts.answer.error);

async function accepted(facts: Called, progress: CreateProgress): Promise<BeginCreateResult> {
  const { services, input, context, place, right } = facts;
  const { ref, attempt } = input;
  await markRefused(services, place.provider.name, progress.refused);
  if (progress.done) {
    const { id, offering: taken } = progress.instance;
    const made = { attempt, offering: offeringRef(taken), instance: id };
    await recordDecision(services, ref, 'created', made, detailOf(facts, 'done'));
    return { do: 'created', attempt, instance: progress.instance };
  }
  await recordDecision(services, ref, 'create-begun', whatWasAsked(facts), detailOf(facts, 'begun'));
  const { handle, retryAfterSeconds: seconds } = progress;
  if (seconds > longSeconds)
    await sayLaunching(services, place.cluster, ref, place.provider, right.record, context.signal);
  return { do: 'creating', attempt, handle, seconds, at: services.clock.now() };
}

async function rejected(facts: Called, error: Failure): Promise<BeginCreateResult> {
  const { services, input, context, place } = facts;
  const { ref, attempt } = input;
  const decision = decide('create', error);
  const failed = { ...whatWasAsked(facts), kind: error.kind, message: error.message };
  await recordDecision(services, ref, 'create-failed', failed, detailOf(facts, error));
  logFor(services, ref, context.workflowId).write('provider.failed', {
    attempt,
    kind: error.kind,
    reason: decision.condition?.reason,
    problem: error.message,
  });
  await markFailed(services, place.provider.name, 'create', input, error);
  await sayRejected(facts, error, decision);
  return afterRejection(facts, error, decision);
}

const detailOf = ({ place, tookMs }: Called, said: 'done' | 'begun' | Failure) =>
  callDetail(place.provider.name, 'beginCreate', said, tookMs);

const whatWasAsked = ({ input }: Called) => ({
  attempt: input.attempt,
  offering: offeringRef(input.offering),
  others: input.alternatives?.length ?? 0,
});

async function sayRejected(
  { services, input, context, place, read }: Called,
  error: Failure,
  decision: Consequence,
): Promise<void> {
  const { cluster } = place;
  // No operation ends what has the claim's name: a user may have to act, and hears of it.
  const isInTheWay = error.kind === 'conflict' && error.lasting === true;
  if (decision.condition && decision.action !== 'next-offering') {
    const reason = isInTheWay ? nameTaken : decision.condition.reason;
    await setWaitingCondition(services, cluster, input.ref, reason, error.message, context.signal);
  }
  if (isInTheWay) await emitEventThrottled(services, cluster, read.claim, 'Warning', nameTaken, error.message);
  // Where the attempt is over, the end of the claim or its next machine tells; here nothing else would.
  if (decision.event && (decision.action === 'wait' || decision.action === 'retry')) {
    await emitEventThrottled(services, cluster, read.claim, decision.event.type, decision.event.reason, error.message);
  }
}

function afterRejection({ services, input, right }: Called, error: Failure, decision: Consequence): BeginCreateResult {
  const { record } = right;
  if (error.spent && decision.action !== 'fail') {
    // Each such answer took an attempt, so their number is about how often in a row it was given.
    const seconds = pauseAfter(decision, error, input.attempt, services.random);
    return { do: 'rejected', failure: error, refusedTo: record.holder, final: false, seconds };
  }
  switch (decision.action) {
    case 'next-offering':
    case 'fail':
      // A refusal is an answer to this very execution: it proves that this one bought nothing (rule 3).
      return { do: 'rejected', failure: error, refusedTo: record.holder, final: decision.action === 'fail' };
    case 'wait':
      return {
        do: 'again',
        // Every try took a right, so their number is how often in a row this attempt was put off.
        seconds: pauseAfter(decision, error, record.rights, services.random),
        why: `${error.kind}: ${error.message}`,
      };
    case 'done':
    case 'retry':
    case 'resolve':
      return { do: 'unresolved', failure: error };
  }
}
