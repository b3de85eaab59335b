/** Begin a create and wait for its instance, whatever happens to the answers. */

import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import type { Instance } from '../../providers/contract.ts';
import { poll, type Steps, sleep, waitSignal } from '../../workflow/vocabulary.ts';
import type { Refusal } from '../claims/attempt/attempt.ts';
import { offeringKey, offeringRef } from '../claims/choice/offerings.ts';
import { decide, type ProviderPhase } from '../claims/decisions.ts';
import {
  type BeginCreateResult,
  type FindCreatedResult,
  type Plan,
  type PollCreateResult,
  type ProviderRef,
  providerIn,
} from '../steps/answers.ts';
import { callUntilAnswered, lookSignal, TooManyRounds } from '../steps/retry-later.ts';
import type { ClaimRef } from '../steps/services.ts';

export type CreateResult =
  | { do: 'made'; attempt: number; instance: Instance; providerID: string }
  | { do: 'refused'; why: Refusal }
  /** `final`: no other offering would help. `reason` is what the conditions say. `seconds`: the pause before the next attempt. */
  | { do: 'not-made'; failure: Failure; reason: string; refusedTo?: string; final: boolean; seconds?: number };

/** How often an attempt whose outcome is unknown is resolved before it is closed. */
const maxUnresolved = 4;
const unresolvedPauseSeconds = [1, 3, 10] as const;

/** What was found rather than begun may be through already: it is asked about at once, but not in the same moment. */
export const foundSeconds = 0.2;

/** The provider's answer says when to ask; this is for one that does not. */
const pollSeconds = 5;

/** A life is finite: after so many, the next epoch begins the same attempt again and finds what it has made. */
const maxHeldUp = 60;

export function* create(ref: ClaimRef, plan: Omit<Extract<Plan, { do: 'begin' }>, 'do'>): Steps<CreateResult> {
  const { attempt, offering, price, alternatives, launchSeconds, closer } = plan;
  const of = providerIn(plan);
  for (let unresolved = 0; ; unresolved++) {
    const begun = yield* callUntilAnswered<BeginCreateResult>('beginCreate', {
      ref,
      attempt,
      ...of,
      offering,
      ...defined({ price }),
      ...(alternatives ? { alternatives: alternatives.map(offeringRef) } : {}),
      ...(closer ? { closer } : {}),
    });
    switch (begun.do) {
      case 'refused':
        return begun;
      case 'created':
        return made(begun.attempt, begun.instance);
      case 'creating':
        return yield* awaitInstance(ref, of, begun, launchSeconds);
      case 'rejected':
        return { ...begun, do: 'not-made', reason: reasonOf('create', begun.failure) };
      case 'right-taken':
        yield* sleep(begun.settleSeconds);
        return yield* lookForInstance(ref, of, attempt, launchSeconds);
      case 'unresolved': {
        const { failure } = begun;
        if (unresolved + 1 >= maxUnresolved)
          return { do: 'not-made', failure, reason: reasonOf('create', failure), final: false };
        yield* sleep(unresolvedPauseSeconds[Math.min(unresolved, unresolvedPauseSeconds.length - 1)] ?? 1);
      }
    }
  }
}

/** The instance was there before its attempt; it may still be on its way. */
export function* awaitAdopted(ref: ClaimRef, plan: Extract<Plan, { do: 'adopted' }>): Steps<CreateResult> {
  const { instance, at, launchSeconds } = plan;
  const { handle, owner } = instance;
  if (handle === undefined) return made(owner.attempt, instance);
  return yield* awaitInstance(
    ref,
    providerIn(plan),
    { attempt: owner.attempt, handle, seconds: foundSeconds, at },
    launchSeconds,
  );
}

/** Time in which the cloud would not talk to us does not count against the deadline: nobody knows how the machine is. */
function* awaitInstance(
  ref: ClaimRef,
  of: ProviderRef,
  begun: { attempt: number; handle: Json; seconds: number; at: number },
  launchSeconds: number,
): Steps<CreateResult> {
  const { attempt, handle } = begun;
  // The cloud said how long it takes: asking earlier only costs calls. A deleted claim wakes us at once.
  yield* waitSignal(lookSignal, begun.seconds);
  let left = launchSeconds;
  let since = begun.at;
  for (let heldUp = 0; heldUp < maxHeldUp; heldUp++) {
    const polled = yield* poll<PollCreateResult>(
      'pollCreate',
      { ref, attempt, ...of, handle, since, heldUp },
      { everySeconds: pollSeconds, forSeconds: left },
    );
    if (!polled.done) {
      const message = `no instance after ${launchSeconds} s: the provider still reports that it is being created`;
      return { do: 'not-made', failure: { kind: 'not-ready', message }, reason: 'LaunchTimeout', final: true };
    }
    const { value } = polled;
    if (value.do === 'created') return made(attempt, value.instance);
    if (value.do === 'refused') return value;
    if (value.do === 'rejected') return { ...value, do: 'not-made', reason: reasonOf('poll', value.failure) };
    left = Math.max(pollSeconds, left - value.spentSeconds);
    since = value.goesOnAt;
    yield* waitSignal(lookSignal, value.seconds);
  }
  throw new TooManyRounds(`the provider did not report the state of attempt ${attempt} ${maxHeldUp} times in a row`);
}

function* lookForInstance(ref: ClaimRef, of: ProviderRef, attempt: number, launchSeconds: number): Steps<CreateResult> {
  const found = yield* callUntilAnswered<FindCreatedResult>('findCreated', { ref, attempt, ...of });
  if (found.do === 'created') return made(attempt, found.instance);
  if (found.do === 'refused') return found;
  if (found.do === 'creating') return yield* awaitInstance(ref, of, found, launchSeconds);
  const message = `the create call of attempt ${attempt} left no instance`;
  const failure: Failure = { kind: 'outcome-unknown', message };
  return { do: 'not-made', failure, reason: reasonOf('create', failure), final: false };
}

const reasonOf = (phase: ProviderPhase, failure: Failure): string =>
  decide(phase, failure).condition?.reason ?? 'LaunchFailed';

const made = (attempt: number, instance: Instance): CreateResult => ({
  do: 'made',
  attempt,
  instance,
  providerID: instance.providerID,
});

/** What the plan knew of the price of the machine that came of it. Null: there is none. Undefined: nobody has looked. */
export function plannedPrice(plan: Plan, instance: Instance | undefined): number | null | undefined {
  if (plan.do !== 'begin' || instance === undefined) return undefined;
  const key = offeringKey(instance.offering);
  const all = [{ ...plan.offering, price: plan.price }, ...(plan.alternatives ?? [])];
  return all.find((one) => offeringKey(one) === key)?.price;
}
