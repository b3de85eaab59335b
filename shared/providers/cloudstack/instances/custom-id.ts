/**
 * The id of a VM, from its attempt: a repeated deploy asks for the same one, and CloudStack refuses it instead of making a second VM.
 * A name-based UUID (version 5).
 */
import { nodeCrypto } from '../../../base/node-modules.ts';
import type { InstanceTags } from '../../contract.ts';

/** Ours alone; never changed, because ids are made from it. */
const namespace = Buffer.from('5b3a1c0e7d5f4c5f9a53c1f4a8be0d21', 'hex');

export function customIdFor({ claimUid, attempt }: Pick<InstanceTags, 'claimUid' | 'attempt'>): string {
  const hash = nodeCrypto().createHash('sha1').update(namespace).update(`${claimUid}/${attempt}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
