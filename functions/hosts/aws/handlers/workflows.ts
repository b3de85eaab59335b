/** One turn of a workflow. It does nothing by itself: every step is another function's. */
import type { Context } from 'aws-lambda';
import { durableHandler } from '../../../../shared/workflow/lambda-durable/handler.ts';
import { activityNames } from '../../../catalog.ts';
import { workflows } from '../../../orchestrators/workflows.ts';
import { openEngine } from '../engine.ts';
import { MisconfiguredError } from '../misconfigured.ts';

type Handler = ReturnType<typeof durableHandler>;

let handler: Handler | undefined;

export function runWorkflow(event: unknown, context: Context): Promise<unknown> {
  handler ??= open();
  // Whatever the platform calls a durable function with is for the library to read.
  return handler(event as Parameters<Handler>[0], context);
}

function open(): Handler {
  const engine = openEngine(process.env);
  if (!engine.ok) throw new MisconfiguredError(engine.error.message);
  return durableHandler({
    workflows,
    activities: Object.fromEntries(activityNames.map((name) => [name, true])),
    ...engine.value,
  });
}
