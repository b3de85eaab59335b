/** Counts events that the queue had no room for. A flood of them must not become a flood of log lines. */
import type { Clock } from '../../shared/base/runtime.ts';
import type { Log } from '../../shared/observe/log/log.ts';

const sayEveryMs = 30_000;

export function lostEvents(cluster: string, clock: Clock, log: Log): (problem: string) => void {
  let lost = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  return (problem) => {
    lost += 1;
    const now = clock.monotonic();
    if (now - saidAt < sayEveryMs) return;
    saidAt = now;
    log.write('watch.event.lost', { cluster, events: lost, problem });
    lost = 0;
  };
}
