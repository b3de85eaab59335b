import { failed, type Result } from './result.ts';

/**
 * What a promise brings, or nothing once the signal fires; the promise itself goes on. For answers that many wait for: one of them
 * who goes away must not end the question for the others.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The same for results: a caller who goes away is told so. */
export async function unlessAborted<T>(
  work: Promise<Result<T>>,
  signal: AbortSignal | undefined,
  message: string,
): Promise<Result<T>> {
  if (signal === undefined) return work;
  return (await untilAborted(work, signal)) ?? failed('unavailable', message);
}
