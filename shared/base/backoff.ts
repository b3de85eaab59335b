/** Pauses that grow from failure to failure, spread by chance so that many waiters do not come back at once. */
import type { Random } from './runtime.ts';

export interface Backoff {
  readonly firstSeconds: number;
  readonly maxSeconds: number;
}

export interface PauseOptions extends Backoff {
  readonly random: Random;
  /** What the other side asked for. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A provider that asks for more patience than this is asked again anyway: a wrong header must not stop a claim for days. */
export const longestRetryAfterSeconds = 3600;

/** The pause after so many failures in a row (from 1), in the unit of `first`: it doubles up to the longest. */
export const doubled = (failures: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(Math.max(0, failures - 1), 40));

/** Between half of a pause and all of it: many who wait do not come back in step after an outage. */
export const spread = (pause: number, random: Random): number => pause * (0.5 + random() / 2);

/**
 * The pause after so many failures in a row (from 1): it doubles up to the maximum, and lies between half of that and
 * all of it. It is never shorter than what the other side asked for.
 */
export function pauseSeconds(failures: number, options: PauseOptions): number {
  const { firstSeconds, maxSeconds, random, retryAfterSeconds = 0 } = options;
  const pause = spread(doubled(failures, firstSeconds, maxSeconds), random);
  const asked = Number.isFinite(retryAfterSeconds) ? retryAfterSeconds : longestRetryAfterSeconds;
  return Math.max(pause, Math.min(Math.max(0, asked), longestRetryAfterSeconds));
}

/**
 * Chance that is the same each time for the same text. A workflow is replayed, so its jitter must come from what it
 * knows (its id and the count of failures), not from the moment.
 */
export function stableRandom(text: string): Random {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  // Texts that differ only at the end would give neighbors; the mixing spreads them over the whole range.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  const fraction = ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
  return () => fraction;
}
