/** How long a call may still take. The platform ends a function in the middle of whatever it does; whoever stops before can say so. */
import type { Context } from 'aws-lambda';

/** For the last words: an answer, a line of the log, a message that is given back. */
const marginMs = 2000;

export const timeLeftMs = (context: Pick<Context, 'getRemainingTimeInMillis'>): number =>
  Math.max(1, Math.floor(context.getRemainingTimeInMillis() - marginMs));

/**
 * Unlike that of `AbortSignal.timeout`, this time is over even when nothing else is under way: a process that has nothing to wait for
 * is ended by the platform in the middle of the call, and all of its batch fails.
 */
export function deadline(milliseconds: number): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, cancel: () => clearTimeout(timer) };
}
