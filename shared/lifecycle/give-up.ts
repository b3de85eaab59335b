/** Give an attempt up: close it, wait until nothing of it can appear any more, and discard what is there (rule 3). */
import { type Steps, sleep } from '../workflow/vocabulary.ts';
import { insist } from './again.ts';
import type { Closed, CloseInput } from './answers.ts';
import { discard } from './discard.ts';
import type { ClaimRef } from './services.ts';

/** True when the attempt is closed under our name and nothing of it is left; false: read the claim anew. */
export function* giveUp(ref: ClaimRef, what: Omit<CloseInput, 'ref'>): Steps<boolean> {
  const closed = yield* insist<Closed>('close', { ref, ...what });
  if (closed.do === 'refused') return false;
  if (closed.settleSeconds > 0) yield* sleep(closed.settleSeconds);
  return yield* discard({ ref, provider: what.provider, attempt: what.attempt });
}
