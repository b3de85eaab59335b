/** What every driver refuses, in the same words. */
import type { Json } from '../base/json.ts';
import { maxKeyLength, maxValueBytes } from './contract.ts';

const longestLifeSeconds = 10 * 365 * 24 * 3600;
const largestPage = 1000;

export function checkKey(key: string): void {
  if (key === '') throw new RangeError('a key must not be empty');
  // Stores keep UTF-8: two keys with different halves of a surrogate pair would become one.
  if (!key.isWellFormed()) throw new RangeError(`the key ${JSON.stringify(key)} is not Unicode text`);
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyLength) {
    throw new RangeError(
      `the key ${JSON.stringify(`${key.slice(0, 40)}...`)} is ${bytes} bytes long; at most ${maxKeyLength} are allowed`,
    );
  }
}

/** The value as JSON. */
export function checkValue(key: string, value: Json): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new RangeError(`the value of ${JSON.stringify(key)} is not JSON`);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxValueBytes) {
    throw new RangeError(
      `the value of ${JSON.stringify(key)} is ${bytes} bytes big as JSON; at most ${maxValueBytes} are allowed`,
    );
  }
  return text;
}

/** In milliseconds. */
export function checkTimeToLive(seconds: number): number {
  if (seconds > 0 && seconds <= longestLifeSeconds) return Math.ceil(seconds * 1000);
  throw new RangeError(`ttlSeconds must be more than 0 and at most ${longestLifeSeconds}, but it is ${seconds}`);
}

export function checkLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return Math.min(limit, largestPage);
  throw new RangeError(`limit must be a whole number of at least 1, but it is ${limit}`);
}
