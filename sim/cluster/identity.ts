/** Fresh uids and names. */
import { createHash } from 'node:crypto';
import type { Ids, Random } from '../../shared/base/runtime.ts';

/** No vowels, and nothing that looks like another character: names that nobody misreads. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Objects' uids are UUIDs, whatever ids look like elsewhere. */
export function freshUid(ids: Ids): string {
  const hex = createHash('sha256').update(ids.next()).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const longestPrefix = 58;

export function generatedName(prefix: string, random: Random): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return prefix.slice(0, longestPrefix) + suffix;
}
