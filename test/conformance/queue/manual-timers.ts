import type { Clock } from '../../../shared/base/runtime.ts';
import type { Timers } from '../../../shared/base/timers.ts';

export interface ManualTimers extends Timers {
  /** Moves the clock, firing what is due on the way, in order, each after everything before it has come to rest. */
  pass(milliseconds: number): Promise<void>;
  /** Lets everything run that waits for no timer. */
  rest(): Promise<void>;
  readonly pending: number;
}

/** Timers that move with a manual clock. Rest is reached when a turn of the event loop has emptied the microtasks. */
export function manualTimers(clock: Clock & { advance(milliseconds: number): void }): ManualTimers {
  const waiting = new Set<{ at: number; run: () => void }>();
  const rest = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    after(milliseconds, run) {
      const timer = { at: clock.now() + milliseconds, run };
      waiting.add(timer);
      return () => waiting.delete(timer);
    },
    async pass(milliseconds) {
      const end = clock.now() + milliseconds;
      await rest();
      for (;;) {
        const due = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        waiting.delete(due);
        clock.advance(Math.max(0, due.at - clock.now()));
        due.run();
        await rest();
      }
      clock.advance(end - clock.now());
      await rest();
    },
    rest,
    get pending() {
      return waiting.size;
    },
  };
}
