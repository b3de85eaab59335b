/** Begin a create and wait for its instance, whatever happens to the answers. */

import type { Refusal } from '../claims/attempt.ts';
import type { Failure } from '../claims/errors.ts';
import type { OfferingRef } from '../claims/offerings.ts';
import type { Json } from '../json.ts';
import type { Instance } from '../providers/contract.ts';
import { poll, type Steps, sleep, waitSignal } from '../workflow/vocabulary.ts';
import { insist, lookSignal } from './again.ts';
import type { Begun, FoundCreated, PolledCreate } from './answers.ts';
import type { ClaimRef } from './services.ts';

export type Made =
  | { do: 'made'; attempt: number; instance: Instance; providerID: string }
  | { do: 'refused'; why: Refusal }
  /** `final`: no other offering would help. */
  | { do: 'not-made'; failure: Failure; soldOutTo?: string; final: boolean };

/** How often an attempt whose outcome is unknown is resolved before it is closed. */
const maxUnresolved = 4;
const unresolvedPauseSeconds = [1, 3, 10] as const;

/** The provider's answer says when to ask; this is for one that does not. */
const pollSeconds = 5;

export function* create(
  ref: ClaimRef,
  plan: { attempt: number; provider: string; offering: OfferingRef; launchSeconds: number },
): Steps<Made> {
  const { attempt, provider, offering, launchSeconds } = plan;
  for (let unresolved = 0; ; unresolved++) {
    const begun = yield* insist<Begun>('beginCreate', { ref, attempt, provider, offering });
    switch (begun.do) {
      case 'refused':
        return begun;
      case 'created':
        return made(begun.attempt, begun.instance);
      case 'creating':
        return yield* awaitInstance(ref, provider, begun, launchSeconds);
      case 'rejected':
        return { ...begun, do: 'not-made' };
      case 'right-taken':
        yield* sleep(begun.settleSeconds);
        return yield* lookForInstance(ref, provider, attempt);
      case 'unresolved': {
        if (unresolved + 1 >= maxUnresolved) return { do: 'not-made', failure: begun.failure, final: false };
        yield* sleep(unresolvedPauseSeconds[Math.min(unresolved, unresolvedPauseSeconds.length - 1)] ?? 1);
      }
    }
  }
}

function* awaitInstance(
  ref: ClaimRef,
  provider: string,
  begun: { attempt: number; handle: Json; seconds: number },
  launchSeconds: number,
): Steps<Made> {
  const { attempt, handle } = begun;
  // The cloud said how long it takes: asking earlier only costs calls. A deleted claim wakes us at once.
  yield* waitSignal(lookSignal, begun.seconds);
  const polled = yield* poll<PolledCreate>(
    'pollCreate',
    { ref, attempt, provider, handle },
    { everySeconds: pollSeconds, forSeconds: launchSeconds },
  );
  if (!polled.done) {
    const message = `no instance after ${launchSeconds} s: the provider still says that it is being created`;
    return { do: 'not-made', failure: { kind: 'not-ready', message }, final: false };
  }
  const { value } = polled;
  if (value.do === 'created') return made(attempt, value.instance);
  return value.do === 'rejected' ? { ...value, do: 'not-made' } : value;
}

function* lookForInstance(ref: ClaimRef, provider: string, attempt: number): Steps<Made> {
  const found = yield* insist<FoundCreated>('findCreated', { ref, attempt, provider });
  if (found.do === 'created') return made(attempt, found.instance);
  if (found.do === 'refused') return found;
  const message = `the one write of attempt ${attempt} left no instance`;
  return { do: 'not-made', failure: { kind: 'outcome-unknown', message }, final: false };
}

const made = (attempt: number, instance: Instance): Made => ({
  do: 'made',
  attempt,
  instance,
  providerID: instance.providerID,
});
