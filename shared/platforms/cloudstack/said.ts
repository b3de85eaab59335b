/**
 * What CloudStack says beyond its codes. One code of its stands for many things, and then only its text tells them apart; the texts
 * are those of the management server. No other file looks into them.
 */
import type { Failure } from '../../base/result.ts';

type Said = Pick<Failure, 'message'>;

/** A name, an id or a tag that is to be made is there. */
export const saysTaken = ({ message }: Said): boolean => /already|in use|exist/i.test(message);

/** What is taken is the id that we chose. */
export const saysIdTaken = ({ message }: Said): boolean => /uuid|customid|\bid\b/i.test(message);

/** A tag that is to be written is there. */
export const saysTagged = ({ message }: Said): boolean => /already/i.test(message);

/** Under which code CloudStack says so depends on its version; its text has named the parameter since there is one. */
export const saysNoExpunge = ({ message }: Said): boolean => /\bexpunge\b.*\badmin\b/i.test(message);

export const saysAffinity = ({ message }: Said): boolean => /affinity/i.test(message);

export const saysAddress = ({ message }: Said, address: string): boolean => message.includes(address);

/** A fixed address that cannot be had comes under the code for a lack of capacity, and then it is named. */
export const saysSomeAddress = ({ message }: Said): boolean =>
  /\baddress\b/i.test(message) && /\b\d{1,3}(\.\d{1,3}){3}\b/.test(message);

/** "Page size can't exceed max allowed page size value: 100" */
export function saidPageSize({ message }: Said): number | undefined {
  const found = /page ?size\D{1,80}?(\d{1,6})/i.exec(message)?.[1];
  return found === undefined || Number(found) < 1 ? undefined : Number(found);
}
