/** Around every invocation: whose it is, and what it leaves behind. */

import { randomUUID } from 'node:crypto';
import type { InvocationContext } from '@azure/functions';
import { onBehalfOf } from './invocation.ts';
import { MetricsReport } from './metrics-report.ts';
import { openWorker, type WorkerResult } from './worker.ts';

const report = new MetricsReport(randomUUID().slice(0, 8), Date.now());

/** @param durableClient What the binding of that type has brought, for functions that have one. */
export function serve<T>(
  context: InvocationContext,
  durableClient: unknown,
  work: (opened: WorkerResult) => Promise<T>,
): Promise<T> {
  return onBehalfOf({ log: context, durableClient }, async () => {
    const opened = await openWorker();
    try {
      return await work(opened);
    } finally {
      // What was done is done, whether it can be counted or not.
      if (opened.ok) await report.ifDue(opened.worker.functions).catch(() => undefined);
    }
  });
}
