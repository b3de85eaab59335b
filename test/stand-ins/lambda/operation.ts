/** One durable operation, as the service keeps it, and what a checkpoint and the time may do to it. */
import { defined } from '../../../shared/base/defined.ts';
import { LambdaError } from './contract.ts';

export interface ErrorObject {
  ErrorMessage?: string | undefined;
  ErrorType?: string | undefined;
  ErrorData?: string | undefined;
  StackTrace?: string[] | undefined;
}

export type OperationType = 'EXECUTION' | 'CONTEXT' | 'STEP' | 'WAIT' | 'CALLBACK' | 'CHAINED_INVOKE';
export type OperationStatus =
  | 'STARTED'
  | 'PENDING'
  | 'READY'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'
  | 'TIMED_OUT'
  | 'STOPPED';

/** Times are milliseconds; what goes out is written as its receiver wants it. */
export interface Operation {
  id: string;
  parent?: string;
  name?: string;
  type: OperationType;
  subType?: string;
  status: OperationStatus;
  startedAt: number;
  endedAt?: number;
  input?: string;
  attempt?: number;
  result?: string;
  error?: ErrorObject;
  /** When a wait ends, a step is tried again, or a callback is given up. */
  due?: number;
  callbackId?: string;
  timeoutSeconds?: number;
  heartbeatSeconds?: number;
}

export interface OperationUpdate {
  Id?: string | undefined;
  ParentId?: string | undefined;
  Name?: string | undefined;
  Type?: string | undefined;
  SubType?: string | undefined;
  Action?: string | undefined;
  Payload?: string | undefined;
  Error?: ErrorObject | undefined;
  StepOptions?: { NextAttemptDelaySeconds?: number | undefined } | undefined;
  WaitOptions?: { WaitSeconds?: number | undefined } | undefined;
  CallbackOptions?: { TimeoutSeconds?: number | undefined; HeartbeatTimeoutSeconds?: number | undefined } | undefined;
}

const endStatuses: readonly OperationStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'STOPPED'];

export const isOver = ({ status }: Operation): boolean => endStatuses.includes(status);

const invalid = (message: string): LambdaError => new LambdaError('InvalidParameterValueException', message);

/** The service takes whole seconds of at least one and at most a leap year. */
function seconds(value: number | undefined, what: string): number {
  if (value === undefined || !Number.isInteger(value) || value < 1 || value > 31_622_400) {
    throw invalid(`${what} must be between 1 and 31622400, not ${value}`);
  }
  return value;
}

/** A replay must ask for what it asked for before: another kind or name under the same id is another program. */
function assertSame(operation: Operation, update: OperationUpdate): void {
  const known = [operation.type, operation.name, operation.subType].join(' / ');
  const asked = [update.Type, update.Name, update.SubType].join(' / ');
  if (known !== asked) throw invalid(`operation ${operation.id} is ${known}, not ${asked}`);
}

/**
 * @returns The operation after the update.
 * @throws LambdaError when such an update can't follow what is there.
 */
export function applyUpdate(
  before: Operation | undefined,
  update: OperationUpdate,
  { now, callbackId }: { now: number; callbackId: (operation: string) => string },
): Operation {
  if (!update.Id || !update.Type || !update.Action) throw invalid('an update needs Id, Type and Action');
  if (before) assertSame(before, update);
  if (before && isOver(before)) throw invalid(`operation ${update.Id} is over: ${before.status}`);
  const operation: Operation = before
    ? { ...before }
    : {
        id: update.Id,
        ...defined({ parent: update.ParentId, name: update.Name }),
        type: update.Type as OperationType,
        ...defined({ subType: update.SubType }),
        status: 'STARTED',
        startedAt: now,
      };
  switch (update.Action) {
    case 'START':
      return started(operation, before, update, now, callbackId);
    case 'SUCCEED':
      return ended(operation, 'SUCCEEDED', update, now);
    case 'FAIL':
      return ended(operation, 'FAILED', update, now);
    case 'RETRY':
      return pending(operation, update, now);
    default:
      throw invalid(`an operation knows no action ${update.Action}`);
  }
}

function started(
  operation: Operation,
  before: Operation | undefined,
  update: OperationUpdate,
  now: number,
  callbackId: (operation: string) => string,
): Operation {
  if (before && before.status !== 'READY') throw invalid(`operation ${operation.id} is started already`);
  delete operation.due;
  operation.status = 'STARTED';
  if (operation.type === 'WAIT') operation.due = now + 1000 * seconds(update.WaitOptions?.WaitSeconds, 'WaitSeconds');
  if (operation.type === 'CALLBACK') {
    const { TimeoutSeconds: timeout, HeartbeatTimeoutSeconds: heartbeat } = update.CallbackOptions ?? {};
    operation.callbackId = callbackId(operation.id);
    if (timeout) operation.timeoutSeconds = seconds(timeout, 'TimeoutSeconds');
    if (heartbeat) operation.heartbeatSeconds = seconds(heartbeat, 'HeartbeatTimeoutSeconds');
    const first = Math.min(timeout || Number.POSITIVE_INFINITY, heartbeat || Number.POSITIVE_INFINITY);
    if (Number.isFinite(first)) operation.due = now + first * 1000;
  }
  return operation;
}

const largestResult = 256 * 1024;

function ended(operation: Operation, status: 'SUCCEEDED' | 'FAILED', update: OperationUpdate, now: number): Operation {
  assertFits(update.Payload);
  if (operation.type === 'STEP') operation.attempt = (operation.attempt ?? 0) + 1;
  delete operation.due;
  delete operation.result;
  return {
    ...operation,
    status,
    endedAt: now,
    ...defined({ result: update.Payload, error: update.Error }),
  };
}

function pending(operation: Operation, update: OperationUpdate, now: number): Operation {
  assertFits(update.Payload);
  if (operation.type !== 'STEP') throw invalid('only a step can be tried again');
  const delay = seconds(update.StepOptions?.NextAttemptDelaySeconds, 'NextAttemptDelaySeconds');
  return {
    ...operation,
    status: 'PENDING',
    attempt: (operation.attempt ?? 0) + 1,
    due: now + delay * 1000,
    ...defined({ result: update.Payload, error: update.Error }),
  };
}

function assertFits(payload: string | undefined): void {
  if (payload !== undefined && Buffer.byteLength(payload) > largestResult) {
    throw invalid(`the payload of an operation must not exceed ${largestResult} bytes`);
  }
}

/** What a passed due time means. */
export function whenDue(operation: Operation, now: number): Operation {
  const { due: _, ...rest } = operation;
  if (operation.type === 'STEP') return { ...rest, status: 'READY' };
  if (operation.type === 'WAIT') return { ...rest, status: 'SUCCEEDED', endedAt: now };
  const error = { ErrorType: 'Callback.Timeout', ErrorMessage: 'Callback timed out' };
  return { ...rest, status: 'TIMED_OUT', endedAt: now, error };
}

/** As the library reads it. @param time Writes a time: ISO for events, seconds for the HTTP interface. */
export function toWire<T>(operation: Operation, time: (at: number) => T): Record<string, unknown> {
  const { type, attempt, result, error, due, callbackId, input } = operation;
  const ended = defined({ Result: result, Error: error });
  return {
    Id: operation.id,
    ParentId: operation.parent,
    Name: operation.name,
    Type: type,
    SubType: operation.subType,
    Status: operation.status,
    StartTimestamp: time(operation.startedAt),
    ...(operation.endedAt === undefined ? {} : { EndTimestamp: time(operation.endedAt) }),
    ...(type === 'EXECUTION' ? { ExecutionDetails: { InputPayload: input } } : {}),
    ...(type === 'STEP'
      ? { StepDetails: { Attempt: attempt ?? 0, ...ended, ...(due ? { NextAttemptTimestamp: time(due) } : {}) } }
      : {}),
    ...(type === 'WAIT' ? { WaitDetails: due ? { ScheduledEndTimestamp: time(due) } : {} } : {}),
    ...(type === 'CALLBACK' ? { CallbackDetails: { CallbackId: callbackId, ...ended } } : {}),
    ...(type === 'CONTEXT' ? { ContextDetails: ended } : {}),
  };
}
