/**
 * The names of a pool's claims. Each stands for a slot of the pool and follows from the pool's uid, so that whoever makes
 * the claim of a slot a second time, after a crash, from an old list or beside another process, meets the first one.
 */
import { nodeCrypto } from '../../base/node-modules.ts';

/** As long as a label's value may be: names end up in labels. */
const longest = 63;
const digestLength = 8;

export function claimName(pool: { name: string; uid: string }, slot: number): string {
  const digest = nodeCrypto().createHash('sha256').update(`${pool.uid}/${slot}`).digest();
  // Base 36 keeps it short, and every digit may stand in a DNS name.
  const suffix = digest.readBigUInt64BE().toString(36).padStart(digestLength, '0').slice(-digestLength);
  const prefix = pool.name.slice(0, longest - digestLength - 1).replace(/[-.]+$/, '');
  return `${prefix}-${suffix}`;
}

/** The lowest slots whose name nobody has. Deleting claims have theirs until they are gone. */
export function freeNames(
  pool: { name: string; uid: string },
  count: number,
  isTaken: (name: string) => boolean,
): string[] {
  const names: string[] = [];
  for (let slot = 0; names.length < count; slot++) {
    const name = claimName(pool, slot);
    if (!isTaken(name)) names.push(name);
  }
  return names;
}
