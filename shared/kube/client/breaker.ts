/**
 * Keeps one cluster that does not answer from holding up the work for others: after a few silences in a row, and while too many
 * requests wait for a first sign of life, further ones are answered at once. Any answer, even a bad one, is a sign of life.
 */
import type { Failure } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';

/** `silent`: there was no answer. `abandoned`: the caller went away, which says nothing about the cluster. */
export type Ending = 'answered' | 'silent' | 'abandoned';

export type Passage = { refused: Failure } | { ended(ending: Ending, message?: string): void };

export interface Breaker {
  /** Called before a request; what it gives is told once how the request ended. */
  enter(): Passage;
}

/** Silences in a row, with no answer in between, until nobody is let through. */
const mostSilences = 3;
const firstPauseMs = 1000;
/** One request every so often is what a dead cluster may cost, and how late its return may be noticed. */
const longestPauseMs = 10_000;
/** So many may wait for a cluster from which nothing has come for so long. */
const patientRequests = 8;
const patienceMs = 3000;
/**
 * The silence may be our own: a process that was held up finds the answers only when it looks at its sockets again. So what looks like silence
 * has to last.
 */
const secondLookMs = 250;

export function createBreaker(name: string, clock: Clock): Breaker {
  let silences = 0;
  let pauseMs = 0;
  let closedUntil = 0;
  let probing = false;
  let waiting = 0;
  /** Since when something waits and nothing has been answered. */
  let quietSince = 0;
  /** Since when too many wait too long. */
  let suspectedAt: number | undefined;
  let lastMessage = '';

  const refuse = (why: string, milliseconds: number): Passage => {
    const retryAfterSeconds = Math.max(1, Math.ceil(milliseconds / 1000));
    const message = `Cluster ${name} does not respond (${why}); the next request follows in ${retryAfterSeconds} s.`;
    return { refused: { kind: 'unavailable', message, retryAfterSeconds } };
  };

  const answered = (): void => {
    silences = 0;
    pauseMs = 0;
    suspectedAt = undefined;
    quietSince = clock.monotonic();
  };

  const silent = (message: string, isProbe: boolean): void => {
    silences += 1;
    lastMessage = message;
    // Those that were under way when it closed tell nothing new: only the one that was let through as a test does.
    if (silences !== mostSilences && !isProbe) return;
    pauseMs = Math.min(longestPauseMs, pauseMs === 0 ? firstPauseMs : pauseMs * 2);
    closedUntil = clock.monotonic() + pauseMs;
  };

  return {
    enter: () => {
      const now = clock.monotonic();
      const isOpen = silences < mostSilences;
      if (!isOpen) {
        if (now < closedUntil) return refuse(lastMessage, closedUntil - now);
        if (probing) return refuse(`${lastMessage}; one request is testing it`, firstPauseMs);
        probing = true;
      } else if (waiting >= patientRequests && now - quietSince > patienceMs) {
        suspectedAt ??= now;
        if (now - suspectedAt >= secondLookMs) {
          return refuse(
            `${waiting} requests are waiting, and no response has arrived for ${Math.round(now - quietSince)} ms`,
            patienceMs,
          );
        }
      }
      if (waiting === 0) {
        quietSince = now;
        suspectedAt = undefined;
      }
      waiting += 1;
      let over = false;
      return {
        ended: (ending, message = '') => {
          if (over) return;
          over = true;
          waiting -= 1;
          if (!isOpen) probing = false;
          if (ending === 'answered') answered();
          else if (ending === 'silent') silent(message, !isOpen);
        },
      };
    },
  };
}
