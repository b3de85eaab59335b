/** Around every call: the services of the environment, and what a call leaves behind. */
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { MetricsOut } from '../common/metrics-out.ts';
import { openWorker, type Scope, type WorkerResult } from './worker.ts';

const metrics = new MetricsOut(systemIds.next(), systemClock.now());

export async function serve<T>(scope: Scope, work: (opened: WorkerResult) => Promise<T>): Promise<T> {
  const opened = await openWorker(scope);
  try {
    return await work(opened);
  } finally {
    // Before the answer: after it the process may stand still.
    if (opened.ok) await metrics.ifDue(opened.worker.functions, opened.worker.settings.config, opened.worker.env);
  }
}
