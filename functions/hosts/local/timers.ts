/** Timer functions on one machine: each runs per cluster, never beside itself, and a run that fails runs again. */

import type { Random } from '../../../shared/base/runtime.ts';
import { pause } from '../../../shared/base/timers.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { FunctionServices, TimerFunction } from '../../declaration.ts';

export interface TimerPlan {
  timer: TimerFunction;
  cluster: string;
  everySeconds: number;
  /** Before the first run. */
  afterSeconds: number;
}

/** Spreads the runs of many clusters; they all started at the same moment. */
const jitter = 0.1;

/** Runs until the signal fires; resolves when the last run has ended. */
export async function runTimers(
  plans: readonly TimerPlan[],
  services: FunctionServices,
  random: Random,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    plans.map(async ({ timer, cluster, everySeconds, afterSeconds }) => {
      await pause(afterSeconds * 1000, signal);
      while (!signal.aborted) {
        try {
          await timer.run(services, cluster, signal);
        } catch (error) {
          if (!signal.aborted) log.child({ cluster, function: timer.name }).write('timer.failed', { error });
        }
        await pause(everySeconds * 1000 * (1 - jitter + 2 * jitter * random()), signal);
      }
    }),
  );
}
