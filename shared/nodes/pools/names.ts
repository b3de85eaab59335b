/**
 * The names of a pool's claims. A pool numbers them, and the name follows from the pool's uid and the number, so that whoever
 * makes a claim a second time, after a crash, from an old list or beside another process, meets the first one. A number is not
 * used again: a client that waits for a name to go sees it go.
 */
import { nodeCrypto } from '../../base/node-modules.ts';

/** As long as a label's value may be: names end up in labels. */
const longest = 63;
const digestLength = 8;

export function claimName(pool: { name: string; uid: string }, number: number): string {
  const digest = nodeCrypto().createHash('sha256').update(`${pool.uid}/${number}`).digest();
  // Base 36 keeps it short, and every digit may stand in a DNS name.
  const suffix = digest.readBigUInt64BE().toString(36).padStart(digestLength, '0').slice(-digestLength);
  const prefix = pool.name.slice(0, longest - digestLength - 1).replace(/[-.]+$/, '');
  return `${prefix}-${suffix}`;
}

/** Which numbers a pool has given to claims: none below `next` is used again. `from` is where its last batch began. */
export type Numbers = { from: number; next: number };

export const noNumbers: Numbers = { from: 0, next: 0 };

export interface Numbered {
  name: string;
  number: number;
}

/** The first numbers that were never used and whose name nobody has. */
export function freshNames(
  pool: { name: string; uid: string },
  count: number,
  first: number,
  isTaken: (name: string) => boolean,
): Numbered[] {
  const names: Numbered[] = [];
  for (let number = first; names.length < count; number++) {
    const name = claimName(pool, number);
    if (!isTaken(name)) names.push({ name, number });
  }
  return names;
}

/** The names of the last batch that a list does not show: their claims are gone, or the list is older than they are. */
export function missingNames(
  pool: { name: string; uid: string },
  { from, next }: Numbers,
  isListed: (name: string) => boolean,
): string[] {
  const names = Array.from({ length: next - from }, (_, index) => claimName(pool, from + index));
  return names.filter((name) => !isListed(name));
}
