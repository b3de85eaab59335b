/**
 * Growing pauses for a pool whose claims do not become nodes. Its claims are deleted when they can't be had, so that the
 * pool decides again; without a pause it would make and delete claims for ever, as fast as it can.
 *
 * A try is a round in which claims were made. It counts as good once a claim has become ready since.
 */
import { pauseSeconds } from '../../base/backoff.ts';
import type { Random } from '../../base/runtime.ts';
import type { PoolClaim } from '../disruption/types.ts';

/** Kept in the state; when it is lost, the pauses begin anew. */
export type Tries = {
  /** Rounds in a row after which nothing became ready. */
  rounds: number;
  /** When the last one began. */
  at: number;
  notBefore: number;
  /** Of the pool: a change of its spec deserves a try at once. */
  generation: number;
};

export interface TryQuestion {
  before: Tries | undefined;
  generation: number;
  claims: readonly PoolClaim[];
  now: number;
}

/** How many rounds in a row led to nothing so far. */
export function failedRounds({ before, generation, claims }: TryQuestion): number {
  if (!before || before.generation !== generation) return 0;
  // Both times are of our clock. The creation time is of the API server's, which may be another. Conditions have whole seconds.
  const since = Math.floor(before.at / 1000) * 1000;
  return claims.some(({ initializedAt = 0 }) => initializedAt >= since) ? 0 : before.rounds;
}

/** When claims may be made again, or undefined: now. */
export function waitUntil(question: TryQuestion): number | undefined {
  const { before, now } = question;
  return before && failedRounds(question) > 0 && before.notBefore > now ? before.notBefore : undefined;
}

export function nextTries(
  question: TryQuestion,
  pauses: { firstSeconds: number; maxSeconds: number; random: Random },
): Tries {
  const { generation, now } = question;
  const rounds = failedRounds(question) + 1;
  return { rounds, at: now, notBefore: now + Math.round(pauseSeconds(rounds, pauses) * 1000), generation };
}

/** Under which it is kept in the state. */
export const triesKey = (cluster: string, poolUid: string): string => `pool-tries/${cluster}/${poolUid}`;
