/** The frame of every handler: the services of the environment before the call, and what a call leaves behind after it. */
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { nodeCrypto, nodeHttps } from '../../../shared/base/node-modules.ts';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { redactError } from '../../../shared/base/secrets/redact-error.ts';
import { MetricsOut } from '../common/metrics-out.ts';
import { openWorker, type Scope, type WorkerResult } from './worker.ts';

/** What handlers find in the context of their call. */
export interface WorkerContext extends Context {
  opened: WorkerResult;
}

type Middleware<Event, Result> = MiddlewareObj<Event, Result, Error, WorkerContext>;

// What the first request needs is loaded while the environment still waits for its first event, where that costs the caller nothing.
setImmediate(() => void [nodeCrypto(), nodeHttps()]);

const metrics = new MetricsOut(systemIds, systemClock.now());

/** @param more What only this handler needs; its `after` and `onError` come before the metrics leave. */
export function framed<Event, Result>(
  scope: Scope,
  handle: (event: Event, context: WorkerContext) => Promise<Result>,
  more: readonly Middleware<Event, Result>[] = [],
): (event: Event, context: Context) => Promise<Result> {
  const run = middy<Event, Result, Error, WorkerContext>(handle);
  for (const one of [withWorker<Event, Result>(scope), ...more]) run.use(one);
  // The frame itself puts into the context what the handler finds there.
  return (event, context) => run(event, context as WorkerContext);
}

function withWorker<Event, Result>(scope: Scope): Middleware<Event, Result> {
  // Before the answer: after it the process may stand still.
  const leave = async ({ context: { opened } }: { context: Partial<WorkerContext> }): Promise<void> => {
    if (opened?.ok) await metrics.ifDue(opened.worker.functions, opened.worker.settings.config, opened.worker.env);
  };
  return {
    before: async ({ context }) => {
      context.opened = await openWorker(scope);
    },
    after: leave,
    onError: async (request) => {
      // The platform prints what is thrown.
      redactError(request.error);
      await leave(request);
    },
  };
}
