/** The question that the ledger is kept for: were there ever two instances at once for one claim? */
import type { LedgerEntry } from './instance.ts';

export interface Overlap {
  claimUid: string;
  /** The ids of the two, the older one first. */
  instances: [string, string];
  from: number;
  /** Null while both are still alive. */
  until: number | null;
}

/**
 * Entries must be sorted by creation. An instance lives from its creation until it is gone, its boot and its deletion
 * included: both cost money. One that starts in the millisecond in which the other ends does not overlap.
 */
export function findOverlaps(entries: Iterable<LedgerEntry>): Overlap[] {
  const living = new Map<string, LedgerEntry[]>();
  const overlaps: Overlap[] = [];
  for (const entry of entries) {
    if (entry.claimUid === null) continue;
    const others = (living.get(entry.claimUid) ?? []).filter(
      (other) => other.goneAt === null || other.goneAt > entry.createdAt,
    );
    for (const other of others) {
      const ends = [other.goneAt, entry.goneAt].filter((end) => end !== null);
      overlaps.push({
        claimUid: entry.claimUid,
        instances: [other.id, entry.id],
        from: entry.createdAt,
        until: ends.length === 0 ? null : Math.min(...ends),
      });
    }
    living.set(entry.claimUid, [...others, entry]);
  }
  // What never lived for a moment did not overlap either.
  return overlaps.filter((overlap) => overlap.until === null || overlap.until > overlap.from);
}
