/**
 * Durable executions: what the service does with a start, a checkpoint, a callback, a stop and the passing of time. Each is
 * one transaction; what an invocation does is written down by its checkpoints and its end alone.
 */

import { createHash } from 'node:crypto';
import { defined } from '../../../shared/base/defined.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { LambdaError } from './contract.ts';
import { eventsOf } from './events.ts';
import { applyUpdate, type ErrorObject, isOver, type Operation, type OperationUpdate, whenDue } from './operation.ts';
import { type Execution, type ExecutionStatus, errorText, type LambdaStore } from './store.ts';

export interface StartExecution {
  functionName: string;
  functionArn: string;
  version: string;
  name: string;
  input: string;
  timeoutSeconds: number;
}

export interface Checkpoint {
  arn: string;
  token: string;
  clientToken?: string | undefined;
  updates: readonly OperationUpdate[];
}

/** What an invocation of a durable function came to. */
export type InvocationEnd =
  | { kind: 'pending' }
  | { kind: 'succeeded'; result: string | undefined }
  | { kind: 'failed'; error: ErrorObject }
  | { kind: 'lost'; error: ErrorObject };

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const largestCheckpoint = 250;

export class DurableExecutions {
  readonly store: LambdaStore;
  readonly #clock: Clock;
  readonly #rouse: () => void;

  /** @param rouse Called when there may be something to run. */
  constructor(store: LambdaStore, clock: Clock, rouse: () => void) {
    this.store = store;
    this.#clock = clock;
    this.#rouse = rouse;
  }

  /** Under the same name and with the same input it is the same execution, running or ended. */
  start(request: StartExecution): Execution {
    const { functionName, name, input } = request;
    if (!namePattern.test(name)) throw invalid(`DurableExecutionName must match ${namePattern.source}`);
    const there = this.store.holderOf(name);
    if (there) {
      if (there.input === input) return there;
      throw new LambdaError(
        'DurableExecutionAlreadyStartedException',
        `The durable execution with the specified name has already been started: ${name}`,
        409,
      );
    }
    const now = this.#clock.now();
    const run = createHash('sha256').update(`${functionName}/${name}`).digest('hex');
    const execution: Execution = {
      arn: `${request.functionArn}:${request.version}/durable-execution/${name}/${asUuid(run)}`,
      name,
      function: functionName,
      version: request.version,
      input,
      status: 'RUNNING',
      result: null,
      error: null,
      started: now,
      ended: null,
      deadline: now + request.timeoutSeconds * 1000,
      wake: now,
      token: 0,
      lastToken: -1,
      lastClientToken: null,
      failures: 0,
      invocations: 0,
      checkpoints: 0,
    };
    this.store.transaction(() => {
      this.store.save(execution);
      const first: Operation = { id: asUuid(run), type: 'EXECUTION', status: 'STARTED', startedAt: now, input };
      this.store.saveOperation(execution.arn, first, 0);
      this.store.addEvent(execution.arn, {
        EventType: 'ExecutionStarted',
        at: now,
        details: { Input: { Payload: input }, ExecutionTimeout: request.timeoutSeconds },
      });
    });
    this.#rouse();
    return execution;
  }

  checkpoint({ arn, token, clientToken, updates }: Checkpoint): { token: string; operations: Operation[] } {
    return this.store.transaction(() => {
      const execution = this.running(arn);
      const sent = Number(token);
      if (clientToken && sent === execution.lastToken && clientToken === execution.lastClientToken) {
        return { token: String(execution.token), operations: this.store.operations(arn, sent) };
      }
      if (sent !== execution.token) throw invalid(`Invalid Checkpoint Token: ${token} is not the latest`);
      if (updates.length > largestCheckpoint) throw invalid(`a checkpoint has at most ${largestCheckpoint} updates`);
      const next = execution.token + 1;
      for (const update of updates) this.#apply(execution, update, next);
      this.store.save({
        ...execution,
        token: next,
        lastToken: sent,
        lastClientToken: clientToken ?? null,
        checkpoints: execution.checkpoints + 1,
      });
      this.#rouse();
      return { token: String(next), operations: this.store.operations(arn, sent) };
    });
  }

  #apply(execution: Execution, update: OperationUpdate, token: number): void {
    const now = this.#clock.now();
    const before = this.store.operation(execution.arn, update.Id ?? '');
    const callbackId = (id: string) => Buffer.from(`${execution.arn}|${id}`).toString('base64url');
    const after = applyUpdate(before, update, { now, callbackId });
    this.#save(execution.arn, after, token, update);
  }

  #save(arn: string, operation: Operation, token: number, update?: OperationUpdate): void {
    this.store.saveOperation(arn, operation, token);
    const event = eventsOf(operation, update);
    if (event) this.store.addEvent(arn, { ...event, at: this.#clock.now() });
  }

  /** All operations as they are now. */
  state(arn: string, token: string): Operation[] {
    const execution = this.running(arn);
    if (Number(token) !== execution.token) throw invalid(`Invalid Checkpoint Token: ${token} is not the latest`);
    return this.store.operations(arn);
  }

  find(arn: string): Execution {
    const execution = this.store.execution(arn);
    if (!execution) throw new LambdaError('ResourceNotFoundException', `there is no execution ${arn}`, 404);
    return execution;
  }

  running(arn: string): Execution {
    const execution = this.find(arn);
    if (execution.status !== 'RUNNING') throw invalid(`the execution ${arn} is over: ${execution.status}`);
    return execution;
  }

  /** Completes a callback, or shows that its owner lives. */
  callback(id: string, what: { result: string | undefined } | { error: ErrorObject } | 'heartbeat'): void {
    this.store.transaction(() => {
      const [arn = '', operationId = ''] = Buffer.from(id, 'base64url').toString().split('|');
      const execution = this.store.execution(arn);
      const operation = execution && this.store.operation(arn, operationId);
      if (!execution || operation?.type !== 'CALLBACK') throw invalid(`Invalid callback token ${id}`);
      if (execution.status !== 'RUNNING' || isOver(operation)) {
        throw new LambdaError('CallbackTimeoutException', 'the callback has expired or is closed already');
      }
      const now = this.#clock.now();
      if (what === 'heartbeat') {
        const end = operation.startedAt + 1000 * (operation.timeoutSeconds ?? Number.POSITIVE_INFINITY);
        const beat = now + 1000 * (operation.heartbeatSeconds ?? Number.POSITIVE_INFINITY);
        const due = Math.min(end, beat);
        this.store.saveOperation(arn, Number.isFinite(due) ? { ...operation, due } : operation, execution.token);
        return;
      }
      const { due: _, ...rest } = operation;
      const ended: Operation =
        'error' in what
          ? { ...rest, status: 'FAILED', endedAt: now, error: what.error }
          : {
              ...rest,
              status: 'SUCCEEDED',
              endedAt: now,
              ...defined({ result: what.result }),
            };
      this.#save(arn, ended, execution.token + 1);
      this.#wake(execution);
    });
  }

  stop(arn: string, error: ErrorObject | undefined): number {
    const execution = this.find(arn);
    if (execution.status !== 'RUNNING') return execution.ended ?? this.#clock.now();
    this.store.transaction(() => this.#end(execution, 'STOPPED', undefined, error));
    return this.#clock.now();
  }

  // --- invocations --------------------------------------------------------------------------------------------------

  /** What the function is to be told, and the number of this invocation. */
  beginInvocation(arn: string): { execution: Execution; operations: Operation[] } {
    return this.store.transaction(() => {
      const before = this.running(arn);
      const execution = { ...before, wake: null, token: before.token + 1, invocations: before.invocations + 1 };
      this.store.save(execution);
      return { execution, operations: this.store.operations(arn) };
    });
  }

  /** An end of another invocation than the last is nobody's business any more. */
  endInvocation(invocation: Execution, end: InvocationEnd, retryPauseMs: (failures: number) => number): void {
    this.store.transaction(() => {
      const { arn } = invocation;
      const execution = this.store.execution(arn);
      if (execution?.status !== 'RUNNING' || execution.invocations !== invocation.invocations) return;
      const now = this.#clock.now();
      const failed = end.kind === 'lost' || end.kind === 'failed' ? { Error: { Payload: end.error } } : {};
      this.store.addEvent(arn, { EventType: 'InvocationCompleted', at: now, details: failed });
      if (end.kind === 'lost') {
        const failures = execution.failures + 1;
        // What the lost process still sends comes with an old token.
        const token = execution.token + 1;
        this.store.save({ ...execution, failures, token, wake: now + retryPauseMs(failures) });
      } else if (end.kind === 'pending') {
        const waits = execution.wake !== null || this.store.operations(arn).some(isPending);
        if (waits) this.store.save({ ...execution, failures: 0 });
        else this.#end(execution, 'FAILED', undefined, noPendingOperations);
      } else if (end.kind === 'succeeded') this.#end(execution, 'SUCCEEDED', end.result, undefined);
      else this.#end(execution, 'FAILED', undefined, end.error);
      this.#rouse();
    });
  }

  #end(
    execution: Execution,
    status: Exclude<ExecutionStatus, 'RUNNING'>,
    result: string | undefined,
    error: ErrorObject | undefined,
  ): void {
    const now = this.#clock.now();
    const kinds = { SUCCEEDED: 'Succeeded', FAILED: 'Failed', TIMED_OUT: 'TimedOut', STOPPED: 'Stopped' };
    this.store.save({
      ...execution,
      status,
      result: result ?? null,
      error: errorText(error),
      ended: now,
      wake: null,
    });
    const details = status === 'SUCCEEDED' ? { Result: { Payload: result } } : { Error: { Payload: error ?? {} } };
    this.store.addEvent(execution.arn, { EventType: `Execution${kinds[status]}`, at: now, details });
  }

  // --- time ---------------------------------------------------------------------------------------------------------

  /** Whatever was to happen by now: waits end, steps are ready again, callbacks and executions run out of time. */
  passTime(): void {
    const now = this.#clock.now();
    this.store.transaction(() => {
      for (const { execution: arn, operation } of this.store.dueOperations(now)) {
        const execution = this.running(arn);
        this.#save(arn, whenDue(operation, now), execution.token + 1);
        this.#wake(execution);
      }
      for (const execution of this.store.overdue(now)) {
        this.#end(execution, 'TIMED_OUT', undefined, { ErrorMessage: 'the execution has run out of time' });
      }
    });
  }

  #wake(execution: Execution): void {
    this.store.save({ ...execution, wake: this.#clock.now() });
    this.#rouse();
  }
}

/** Something that will wake the execution by itself. */
const isPending = ({ type, status }: Operation): boolean =>
  status === 'PENDING' || (status === 'STARTED' && (type === 'WAIT' || type === 'CALLBACK'));

const noPendingOperations: ErrorObject = {
  ErrorType: 'InvalidParameterValueException',
  ErrorMessage: 'Cannot return PENDING status with no pending operations.',
};

const invalid = (message: string): LambdaError => new LambdaError('InvalidParameterValueException', message);

const asUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
