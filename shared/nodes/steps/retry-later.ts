/**
 * Asking until there is an answer. An activity that can't answer now (the API server is away, the cloud throttles, the
 * cluster is paused) says `again`; the workflow waits, for a signal at most that long, and asks anew.
 */
import { doubled, longestRetryAfterSeconds } from '../../base/backoff.ts';
import type { Json } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import { call, type Retry, type Steps, waitSignal } from '../../workflow/vocabulary.ts';

export type Again = {
  do: 'again';
  seconds: number;
  why: string;
  /** The other side failed: each further time in a row it is given longer. */
  failed?: true;
};

/** The one signal there is: look again now. */
export const lookSignal = 'look';

/** For bugs and dead processes only; expected failures are answers. */
const afterThrow: Retry = { max: 4, firstSeconds: 1, factor: 3, capSeconds: 30 };

/** A life is finite: after so many rounds the workflow ends, and the resync starts the next epoch with an empty history. */
const maxRounds = 120;

export class TooManyRounds extends Error {
  override readonly name = 'TooManyRounds';
}

/** A life that ends so has not failed: a cluster may well be paused for days. The resync starts the next epoch. */
export function* boundedLife(life: Steps<Json>): Steps<Json> {
  try {
    return yield* life;
  } catch (error) {
    if (error instanceof TooManyRounds) return { end: error.message };
    throw error;
  }
}

export function* callUntilAnswered<T extends { do: string }>(
  activity: string,
  input: object,
): Steps<Exclude<T, Again>> {
  let why = '';
  let failures = 0;
  for (let round = 0; round < maxRounds; round++) {
    const answer = yield* call<T | Again>(activity, input as Json, afterThrow);
    if (!isAgain(answer)) return answer as Exclude<T, Again>;
    why = answer.why;
    failures = answer.failed ? failures + 1 : 0;
    yield* waitSignal(lookSignal, stretched(answer.seconds, failures));
  }
  throw new TooManyRounds(`${activity} had no result after ${maxRounds} rounds: ${why}`);
}

const isAgain = (answer: { do: string }): answer is Again => answer.do === 'again';

/** Ten thousand claims that each ask every two seconds would keep down an API server that is trying to come back. */
const longestStretchSeconds = 60;

const stretched = (seconds: number, failures: number): number =>
  Math.max(seconds, doubled(failures, seconds, longestStretchSeconds));

/**
 * A failed read or write means nothing but "later": never sooner than our own pause, or a Retry-After of 0 would be a
 * loop without one, and never so late that a wrong header parks the claim.
 */
export const againAfter = (failure: Failure, seconds = 2): Again => ({
  do: 'again',
  seconds: Math.min(Math.max(seconds, failure.retryAfterSeconds ?? 0), longestRetryAfterSeconds),
  why: failure.message,
  failed: true,
});
