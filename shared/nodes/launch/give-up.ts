/** Give an attempt up: close it, wait until nothing of it can appear any more, and discard what is there (rule 3). */
import { defined } from '../../base/defined.ts';
import { type Steps, sleep } from '../../workflow/vocabulary.ts';
import { discard } from '../discard/discard.ts';
import { type AttemptMachine, type CloseInput, type CloseResult, type Passed, providerIn } from '../steps/answers.ts';
import { callUntilAnswered } from '../steps/retry-later.ts';
import type { ClaimRef } from '../steps/services.ts';

/** The attempt, closed under our name, when nothing of it is left; undefined: read the claim anew. */
export function* giveUp(
  ref: ClaimRef,
  what: Omit<CloseInput, 'ref'>,
  machine?: AttemptMachine,
): Steps<Passed | undefined> {
  const closed = yield* callUntilAnswered<CloseResult>('close', { ref, ...what });
  if (closed.do === 'refused') return undefined;
  if (closed.settleSeconds > 0) yield* sleep(closed.settleSeconds);
  const clean = yield* discard({ ref, ...providerIn(what), attempt: what.attempt, ...defined({ machine }) });
  return clean ? { attempt: what.attempt, closer: closed.closer } : undefined;
}
