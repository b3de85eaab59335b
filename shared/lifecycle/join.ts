/** From an instance to a Ready node: Launched, Registered and Initialized, each written as soon as it is true. */

import type { Refusal } from '../claims/attempt.ts';
import type { Failure } from '../claims/errors.ts';
import type { Instance } from '../providers/contract.ts';
import { type Steps, waitSignal } from '../workflow/vocabulary.ts';
import { insist, lookSignal, TooManyRounds } from './again.ts';
import type { Advanced } from './answers.ts';
import type { ClaimRef } from './services.ts';

export type Joined =
  | { do: 'ready' }
  | { do: 'refused'; why: Refusal }
  | { do: 'overdue'; failure: Failure; reason: string };

const maxRounds = 400;

export function* join(
  ref: ClaimRef,
  provider: string,
  made: { attempt: number; providerID: string; instance?: Instance },
): Steps<Joined> {
  const { attempt, providerID } = made;
  let { instance } = made;
  for (let round = 0; round < maxRounds; round++) {
    const step = yield* insist<Advanced>('advance', {
      ref,
      attempt,
      provider,
      providerID,
      ...(instance ? { instance } : {}),
    });
    if (step.do !== 'wait') return step;
    instance = undefined;
    // Node events signal; the time limit is for a lost one.
    yield* waitSignal(lookSignal, step.seconds);
  }
  throw new TooManyRounds(`the node of attempt ${attempt} was looked at ${maxRounds} times`);
}
