/** How long a drain waits before it looks again: soon while something moves, seldom while nothing does, never past what is due. Pure. */

const firstSeconds = 0.5;
const growth = 1.6;
/** Pods on their way out end any moment. */
const leavingSeconds = 2;
/** A budget that says no for an hour is not asked four thousand times. */
const longestSeconds = 15;

export function pauseSeconds(options: {
  /** Rounds in a row without any progress. */
  idle: number;
  leaving: boolean;
  /** When something is due by the clock alone; Infinity for never. */
  nextAt: number;
  now: number;
}): number {
  const { idle, leaving, nextAt, now } = options;
  const growing = firstSeconds * growth ** Math.min(idle, 20);
  const pause = Math.min(growing, leaving ? leavingSeconds : longestSeconds);
  return Math.max(0.05, Math.min(pause, (nextAt - now) / 1000));
}
