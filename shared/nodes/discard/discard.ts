/** The one way to delete (rule 6): look, re-read the claim, delete, wait until gone, and look again until nothing is found. */

import { doubled } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { poll, type Steps, sleep } from '../../workflow/vocabulary.ts';
import { type DiscardInput, type DiscardResult, providerIn } from '../steps/answers.ts';
import { callUntilAnswered, TooManyRounds } from '../steps/retry-later.ts';

type Deleting = Extract<DiscardResult, { do: 'deleting' }>;

const maxRounds = 20;
const pollSeconds = 2;
const longestPauseSeconds = 30;
/** A delete that takes longer is asked for again, in case the first one was lost. */
const deleteSeconds = 900;

/** True: nothing is left. False: the claim no longer says that it may be discarded. */
export function* discard(what: DiscardInput): Steps<boolean> {
  for (let round = 0; round < maxRounds; round++) {
    const step = yield* callUntilAnswered<DiscardResult>('discard', what);
    if (step.do === 'nothing') return true;
    if (step.do === 'refused') return false;
    yield* awaitGone(what, step);
    // What is deleted and still found is shown by a list that lags: only time helps, not asking.
    if (round > 0) yield* sleep(doubled(round, 1, longestPauseSeconds));
  }
  throw new TooManyRounds(`instances of ${what.ref.name} were still there after ${maxRounds} deletes`);
}

/** The usual end of a claim: its one recorded instance is deleted by id; `finish` looks for anything else. */
export function* discardRecorded(what: DiscardInput): Steps<boolean> {
  const step = yield* callUntilAnswered<DiscardResult>('discard', { ...what, byRecord: true });
  if (step.do === 'refused') return false;
  if (step.do === 'deleting') yield* awaitGone(what, step);
  return true;
}

function* awaitGone(what: DiscardInput, step: Deleting): Steps<void> {
  const { ref } = what;
  const { handles, nodes, at, seconds, nodepool } = step;
  if (handles.length === 0 && nodes.length === 0) return;
  // The cloud said how long it takes: asking earlier only costs calls.
  if (seconds > 0) yield* sleep(seconds);
  yield* poll(
    'pollDiscard',
    // An attempt that is passed over is not the end of its claim.
    {
      ref,
      ...providerIn(what),
      handles,
      nodes,
      at,
      ...defined({ nodepool }),
      ...(what.attempt === undefined ? { ending: true } : {}),
    },
    { everySeconds: pollSeconds, forSeconds: deleteSeconds },
  );
}
