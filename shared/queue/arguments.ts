/** What every driver refuses, in the same words. */
import { redactSecrets } from '../base/secrets/known-secrets.ts';
import type { QueueOptions } from './contract.ts';

const longestDelaySeconds = 365 * 24 * 3600;
const longestReason = 2000;

export function checkBodies(queue: string, bodies: readonly string[], { maxBodyBytes }: QueueOptions): void {
  for (const [index, body] of bodies.entries()) {
    const which = `message ${index + 1} of ${bodies.length} for queue ${JSON.stringify(queue)}`;
    const bytes = Buffer.byteLength(body);
    if (bytes > maxBodyBytes) throw new RangeError(`${which} has ${bytes} bytes; at most ${maxBodyBytes} are allowed`);
    // Brokers store UTF-8: half of a surrogate pair would come back as another character.
    if (!body.isWellFormed())
      throw new RangeError(`${which} holds half of a surrogate pair, which is not Unicode text`);
  }
}

/** Whole milliseconds of a delay or an extension. */
export function checkSeconds(name: string, seconds: number): number {
  if (!(seconds >= 0 && seconds <= longestDelaySeconds)) {
    throw new RangeError(`${name} must be from 0 to ${longestDelaySeconds} seconds, but is ${seconds}`);
  }
  return Math.ceil(seconds * 1000);
}

export function checkCount(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new RangeError(`${name} must be a whole number of at least 1, but is ${count}`);
}

/** A reason comes from anywhere, an error message of a cloud included: it is cut, and made text that can be stored. */
export function boundedReason(given: string): string {
  const reason = redactSecrets(given);
  return (reason.length > longestReason ? `${reason.slice(0, longestReason - 3)}...` : reason).toWellFormed();
}
