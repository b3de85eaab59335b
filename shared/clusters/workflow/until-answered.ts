/** Asking until there is an answer: an activity that can't say now says `again`, and the workflow waits, for a signal at most that long. */
import type { Json } from '../../base/json.ts';
import { call, type Retry, type Steps, waitSignal } from '../../workflow/vocabulary.ts';
import type { Again } from '../steps/answers.ts';

/** Look again now. */
export const lookSignal = 'look';

/** For bugs and dead processes only; expected failures are answers. */
const afterThrow: Retry = { max: 4, firstSeconds: 1, factor: 3, capSeconds: 30 };

/** A life is finite: after so many rounds the workflow ends, and the next epoch begins with an empty history. */
const usualRounds = 120;

/** Undefined: there was no answer in so many rounds. */
export function* untilAnswered<T extends { do: string }>(
  activity: string,
  input: object,
  rounds = usualRounds,
): Steps<Exclude<T, Again> | undefined> {
  for (let round = 0; round < rounds; round++) {
    const answer = yield* call<T | Again>(activity, input as Json, afterThrow);
    if (answer.do !== 'again') return answer as Exclude<T, Again>;
    yield* waitSignal(lookSignal, (answer as Again).seconds);
  }
  return undefined;
}
