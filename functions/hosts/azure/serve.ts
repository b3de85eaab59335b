/** Around every invocation: whose it is, and what it leaves behind. */

import type { InvocationContext } from '@azure/functions';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { redactError } from '../../../shared/base/secrets/redact-error.ts';
import { MetricsOut } from '../common/metrics-out.ts';
import { onBehalfOf } from './invocation.ts';
import { openWorker, type WorkerResult } from './worker.ts';

const metrics = new MetricsOut(systemIds, systemClock.now());

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
    } catch (error) {
      // The platform prints what is thrown.
      throw redactError(error);
    } finally {
      if (opened.ok) await metrics.ifDue(opened.worker.functions, opened.worker.settings.config, process.env);
    }
  });
}
