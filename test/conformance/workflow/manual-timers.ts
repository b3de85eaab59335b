/** Timers that fire only when the test says so, on a clock that it moves. */
import type { Clock } from '../../../shared/base/runtime.ts';
import type { Timers } from '../../../shared/base/timers.ts';

export interface ManualTimers extends Timers {
  /** When the next one is due; Infinity when there is none. */
  next(): number;
  /** Fires what is due; true if there was any. */
  fireDue(): boolean;
}

export function manualTimers(clock: Clock): ManualTimers {
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    after(milliseconds, callback) {
      const timer = { at: clock.now() + milliseconds, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    next: () => Math.min(Number.POSITIVE_INFINITY, ...[...timers].map((timer) => timer.at)),
    fireDue() {
      const due = [...timers].filter((timer) => timer.at <= clock.now());
      for (const timer of due) {
        timers.delete(timer);
        timer.callback();
      }
      return due.length > 0;
    },
  };
}
