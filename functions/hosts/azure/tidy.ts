/** Removes what has outlived its time. Neither the state nor the histories have a time to live of their own. */
import type { Clock } from '../../../shared/base/runtime.ts';

export interface TidyParts {
  clock: Clock;
  /** Removes up to so many expired entries of the state, and says how many. */
  sweep(limit: number): Promise<number>;
  /** Removes the histories of workflows that have ended and were started before a time, and says how many. */
  purge(startedBefore: number): Promise<number>;
  retentionSeconds: number;
}

const sweptAtOnce = 5000;
/** Well below the time limit of a function; the rest waits for the next round. */
const sweepMs = 300_000;

/** One does not wait for the other, and is not kept from its work when the other fails. */
export async function tidy(parts: TidyParts): Promise<{ entries: number; histories: number }> {
  const { clock, purge, retentionSeconds } = parts;
  const startedBefore = clock.now() - retentionSeconds * 1000;
  const [entries, histories] = await Promise.allSettled([sweepAll(parts), purge(startedBefore)]);
  if (entries.status === 'rejected') throw entries.reason;
  if (histories.status === 'rejected') throw histories.reason;
  return { entries: entries.value, histories: histories.value };
}

/** In portions, until there is no full one left: more may expire in an hour than one portion holds. */
async function sweepAll({ clock, sweep }: TidyParts): Promise<number> {
  const end = clock.now() + sweepMs;
  let entries = 0;
  for (;;) {
    const removed = await sweep(sweptAtOnce);
    entries += removed;
    if (removed < sweptAtOnce || clock.now() >= end) return entries;
  }
}
