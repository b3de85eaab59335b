/** What an operation that has changed adds to the history of its execution. */
import { defined } from '../../../shared/base/defined.ts';
import type { Operation, OperationUpdate } from './operation.ts';
import type { HistoryEvent } from './store.ts';

const kinds: Readonly<Record<string, string>> = {
  STEP: 'Step',
  WAIT: 'Wait',
  CALLBACK: 'Callback',
  CONTEXT: 'Context',
  CHAINED_INVOKE: 'ChainedInvoke',
};
const endings: Readonly<Record<string, string>> = {
  STARTED: 'Started',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  TIMED_OUT: 'TimedOut',
  CANCELLED: 'Cancelled',
  STOPPED: 'Stopped',
};

/** @param update What changed it; nothing where time or somebody from outside did. */
export function eventsOf(
  operation: Operation,
  update: OperationUpdate | undefined,
): Omit<HistoryEvent, 'EventId' | 'at'> | undefined {
  const kind = kinds[operation.type];
  // A step that is ready to be tried again says so when it is started.
  if (kind === undefined || operation.status === 'READY') return undefined;
  const status = operation.status === 'PENDING' ? (update?.Error ? 'Failed' : 'Succeeded') : endings[operation.status];
  const { id, name, subType } = operation;
  return {
    EventType: `${kind}${status}`,
    Id: id,
    ...defined({ Name: name, SubType: subType }),
    details: detailsOf(operation, update),
  };
}

function detailsOf(operation: Operation, update: OperationUpdate | undefined): Record<string, unknown> {
  const { type, status, result, error, attempt, due, startedAt, callbackId, timeoutSeconds } = operation;
  if (status === 'STARTED') {
    if (type === 'WAIT') return { Duration: ((due ?? startedAt) - startedAt) / 1000, scheduledEnd: due };
    if (type === 'CALLBACK') return { CallbackId: callbackId, ...(timeoutSeconds ? { Timeout: timeoutSeconds } : {}) };
    return {};
  }
  const delay = update?.StepOptions?.NextAttemptDelaySeconds;
  const retry = { CurrentAttempt: attempt ?? 1, ...defined({ NextAttemptDelaySeconds: delay }) };
  return {
    ...(type === 'STEP' ? { RetryDetails: retry } : {}),
    ...(result === undefined ? {} : { Result: { Payload: result } }),
    ...(error === undefined ? {} : { Error: { Payload: error } }),
  };
}
