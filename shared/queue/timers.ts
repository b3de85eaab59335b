/** How to be called later, handed in so that no test waits for the clock. */
export interface Timers {
  /** Calls `run` once after so many milliseconds; the result cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

/** Node turns a longer delay into 1 ms. */
const longestTimeout = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.min(milliseconds, longestTimeout));
    return () => clearTimeout(timer);
  },
};
