/** How to be called back later; handed in, so that no test waits for the clock. */
export interface Timers {
  /** Calls back after so many milliseconds; returns how to cancel it. */
  after(milliseconds: number, callback: () => void): () => void;
}

// Node fires at once when asked for more than a signed 32-bit number; whoever waits longer looks again then.
const longest = 2_147_483_647;

export const systemTimers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(longest, Math.max(0, Math.ceil(milliseconds))));
    return () => clearTimeout(timer);
  },
};

/** Resolves after so long, or as soon as the signal fires. */
export function pause(milliseconds: number, signal: AbortSignal, timers: Timers = systemTimers): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(milliseconds, done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Undefined when the work takes longer; it is not waited for any more then. */
export async function within<T>(
  work: Promise<T>,
  milliseconds: number,
  timers: Timers = systemTimers,
): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancel = timers.after(milliseconds, () => resolve(undefined));
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
