/**
 * launch: from a claim to a Ready node, or to a condition that says why not and no machine left behind.
 * One per claim uid and epoch. Every step re-reads the claim, so it may be killed, repeated or raced at any point.
 */

import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import { defineWorkflow, type Steps, waitSignal } from '../../workflow/vocabulary.ts';
import { type AttemptMachine, type FailResult, type Passed, type Plan, providerIn } from '../steps/answers.ts';
import { type Cause, type Started, withoutCause } from '../steps/report/cause.ts';
import { boundedLife, callUntilAnswered, lookSignal } from '../steps/retry-later.ts';
import type { ClaimRef } from '../steps/services.ts';
import { awaitAdopted, type CreateResult, create, plannedPrice } from './create.ts';
import { giveUp } from './give-up.ts';
import { join } from './join.ts';

/** A life is finite: a claim that went through so many offerings goes on in the next epoch, with an empty history. */
const maxRounds = 40;

export const launch = defineWorkflow({
  name: 'launch',
  version: 2,
  run: (started: Started) => boundedLife(rounds(withoutCause(started), started.cause)),
});

function* rounds(ref: ClaimRef, cause: Cause | undefined): Steps<Json> {
  let passed: Passed | undefined;
  for (let round = 0; round < maxRounds; round++) {
    const plan: Exclude<Plan, { do: 'again' }> = yield* callUntilAnswered<Plan>('choose', {
      ref,
      ...defined({ passed }),
      ...(cause === undefined || round > 0 ? {} : { cause }),
    });
    if (plan.do === 'end') return { end: plan.why };
    if (plan.do === 'fail') {
      const end = yield* failAndWait(ref, passed, plan);
      if (end !== undefined) return end;
      passed = undefined;
      continue;
    }
    passed = undefined;

    let { attempt } = plan;
    const of = providerIn(plan);
    let failure: Failure;
    let reason = 'LaunchFailed';
    let refusedTo: string | undefined;
    let final = false;
    let seconds: number | undefined;
    let machine: AttemptMachine | undefined;
    if (plan.do === 'reclose') {
      failure = { kind: 'outcome-unknown', message: plan.why };
    } else {
      const made = yield* make(ref, plan);
      if (made.do === 'refused') continue;
      if (made.do === 'made') {
        attempt = made.attempt;
        const instance = 'instance' in made ? made.instance : undefined;
        machine = { providerID: made.providerID, ...defined({ nodeName: instance?.nodeName }) };
        const joined = yield* join(ref, of, made, plannedPrice(plan, instance));
        if (joined.do === 'ready') return { end: 'ready', attempt };
        if (joined.do === 'refused') continue;
        ({ failure, reason } = joined);
        final = true;
      } else {
        ({ failure, reason, refusedTo, final, seconds } = made);
      }
    }
    passed = yield* giveUp(ref, { attempt, ...of, failure, reason, ...(refusedTo ? { refusedTo } : {}) }, machine);
    if (passed && final) {
      const end = yield* failAndWait(ref, passed, { failure, reason });
      if (end !== undefined) return end;
      passed = undefined;
    } else if (passed && seconds !== undefined) {
      // Nothing was out: the same will be chosen again, and the cloud should have had time for it.
      yield* waitSignal(lookSignal, seconds);
    }
  }
  return { end: 'many offerings were tried; the next epoch continues' };
}

/** Buy what is planned, or go on with what is there. */
function* make(
  ref: ClaimRef,
  plan: Extract<Plan, { do: 'begin' | 'adopted' | 'register' }>,
): Steps<CreateResult | { do: 'made'; attempt: number; providerID: string }> {
  switch (plan.do) {
    case 'begin':
      return yield* create(ref, plan);
    case 'adopted':
      return yield* awaitAdopted(ref, plan);
    case 'register':
      return { do: 'made', attempt: plan.attempt, providerID: plan.providerID };
  }
}

/** Says why, and waits for the next try. The claim's record holds the time, so nothing is lost if this launch is. */
function* failAndWait(
  ref: ClaimRef,
  passed: Passed | undefined,
  { failure, reason }: { failure: Failure; reason: string },
): Steps<Json | undefined> {
  const answer = yield* callUntilAnswered<FailResult>('fail', { ref, failure, reason, ...defined({ passed }) });
  if (answer.do === 'refused') return { end: `claim ${answer.why}` };
  if (answer.seconds === undefined) return { end: `failed: ${failure.message}` };
  yield* waitSignal(lookSignal, answer.seconds);
  return undefined;
}
