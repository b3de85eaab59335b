/** From an instance to a Ready node: Launched, Registered and Initialized, what is reached within moments in one write. */

import { defined } from '../../base/defined.ts';
import type { Failure } from '../../base/result.ts';
import type { Instance } from '../../providers/contract.ts';
import { type Steps, waitSignal } from '../../workflow/vocabulary.ts';
import type { Refusal } from '../claims/attempt/attempt.ts';
import type { AdvanceResult, ProviderRef } from '../steps/answers.ts';
import { callUntilAnswered, lookSignal, TooManyRounds } from '../steps/retry-later.ts';
import type { ClaimRef } from '../steps/services.ts';

export type JoinResult =
  | { do: 'ready' }
  | { do: 'refused'; why: Refusal }
  | { do: 'overdue'; failure: Failure; reason: string };

const maxRounds = 400;

/** A node that is awaited is looked at whenever something happens to it; after so many looks the claim says what it waits for. */
const maxUnsaid = 4;

export function* join(
  ref: ClaimRef,
  of: ProviderRef,
  made: { attempt: number; providerID: string; instance?: Instance },
  price?: number | null,
): Steps<JoinResult> {
  const { attempt, providerID } = made;
  let { instance } = made;
  let launchedAt: number | undefined;
  const nodeName = instance?.nodeName;
  let say = false;
  let unsaid = 0;
  for (let round = 0; round < maxRounds; round++) {
    const step: Exclude<AdvanceResult, { do: 'again' }> = yield* callUntilAnswered<AdvanceResult>('advance', {
      ref,
      attempt,
      ...of,
      providerID,
      ...(instance ? { instance, ...defined({ price, launchedAt }) } : {}),
      // At first nobody can have joined whom no event has told of.
      ...(nodeName && round > 0 ? { nodeName } : {}),
      ...(say ? { say } : {}),
    });
    if (step.do !== 'wait') return step;
    // Until the claim says Launched, every step compares the instance itself (rule 5).
    ({ launchedAt } = step);
    if (launchedAt === undefined) instance = undefined;
    unsaid = step.unsaid ? unsaid + 1 : 0;
    // Node events signal; the time limit is for a lost one.
    const woken: boolean = yield* waitSignal(lookSignal, step.seconds);
    say = !woken || unsaid >= maxUnsaid;
  }
  throw new TooManyRounds(`the node of attempt ${attempt} was checked ${maxRounds} times`);
}
