/**
 * Nobody can scrape a function: its workers come and go behind one address. So each of them writes what has changed to the log,
 * at most once a minute, at the end of an invocation. Counters count from the start of the worker, which every line names.
 */

import type { Clock } from '../../../shared/base/runtime.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';

const everyMs = 60_000;
/** Application Insights cuts a message at 32 KiB. */
const samplesPerLine = 100;

export class MetricsReport {
  readonly #worker: string;
  #reportedAt: number;
  #reported: ReadonlyMap<string, number> = new Map();

  constructor(worker: string, now: number) {
    this.#worker = worker;
    this.#reportedAt = now;
  }

  async ifDue({ metrics, clock, log }: { metrics: Metrics; clock: Clock; log: Log }): Promise<void> {
    const now = clock.now();
    if (now - this.#reportedAt < everyMs) return;
    this.#reportedAt = now;
    const samples = await metrics.samples();
    const changed = [...samples].filter(([name, value]) => (this.#reported.get(name) ?? 0) !== value);
    this.#reported = samples;
    for (let first = 0; first < changed.length; first += samplesPerLine) {
      const some = Object.fromEntries(changed.slice(first, first + samplesPerLine));
      log.write('metrics.reported', { worker: this.#worker, samples: some });
    }
  }
}
