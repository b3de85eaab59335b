/**
 * A stand-in for the Lambda service: it runs functions that it is given, once with an answer or later without one, and carries
 * durable executions through as many invocations as they take. Time is the clock's, so a test may move it by hand.
 */
import { type Clock, type Ids, systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { systemTimers, type Timers } from '../../../shared/base/timers.ts';
import {
  type FaultPoint,
  type FunctionDefinition,
  type InvocationContext,
  LambdaError,
  type LambdaFaults,
  ProcessLost,
} from './contract.ts';
import { type Checkpoint, DurableExecutions, type InvocationEnd } from './executions.ts';
import { type ErrorObject, type Operation, toWire } from './operation.ts';
import type { Execution, LambdaStore, QueuedInvocation } from './store.ts';

export interface LambdaServiceOptions {
  store: LambdaStore;
  functions?: Readonly<Record<string, FunctionDefinition>>;
  clock?: Clock;
  timers?: Timers;
  ids?: Ids;
  faults?: LambdaFaults;
  region?: string;
  account?: string;
  /** Invocations that the service itself begins at once; 1 gives the same order every time. */
  concurrency?: number;
  /** Every wait ends the invocation, as if it had no time left: so there is a replay at every wake. */
  suspendsAtOnce?: boolean;
  /** How long a failed invocation of a durable function waits for the next. */
  retryPauseMs?: (failures: number) => number;
  /** Operations that an invocation is told of at once; the rest it must ask for. */
  pageSize?: number;
}

export interface InvokeRequest {
  functionName: string;
  qualifier?: string | undefined;
  type: 'RequestResponse' | 'Event' | 'DryRun';
  payload: string;
  executionName?: string | undefined;
}

export interface InvokeAnswer {
  status: number;
  payload: string;
  functionError?: string;
  version: string;
  executionArn?: string;
}

const defaultTimeoutSeconds = 30;
const defaultExecutionTimeoutSeconds = 31_622_400;
const largestSynchronous = 6 * 1024 * 1024;
const largestAsynchronous = 1024 * 1024;
/** Between the tries of an invocation without an answer. */
const retryPausesMs = [60_000, 120_000];

interface Running {
  lose(point: FaultPoint): void;
}

export class LambdaService {
  readonly executions: DurableExecutions;
  faults: LambdaFaults;
  /** Invocations without an answer that failed to the end. */
  readonly dropped: string[] = [];
  readonly #options: LambdaServiceOptions;
  readonly #store: LambdaStore;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #ids: Ids;
  readonly #functions = new Map<string, FunctionDefinition>();
  readonly #invocations = new Map<string, number>();
  /** The invocations of durable executions that run now, by their execution. */
  readonly #running = new Map<string, Running>();
  readonly #busy = new Set<string>();
  #isLive = false;
  #wake: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: LambdaServiceOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock ?? systemClock;
    this.#timers = options.timers ?? systemTimers;
    this.#ids = options.ids ?? systemIds;
    this.faults = options.faults ?? {};
    this.executions = new DurableExecutions(this.#store, this.#clock, () => this.#wake?.());
    for (const [name, definition] of Object.entries(options.functions ?? {})) this.define(name, definition);
  }

  /** A (new) function of this name. */
  define(name: string, definition: FunctionDefinition): void {
    this.#functions.set(name, definition);
  }

  functionArn(name: string): string {
    const { region = 'eu-west-1', account = '123456789012' } = this.#options;
    return `arn:aws:lambda:${region}:${account}:function:${name}`;
  }

  /** How often a function was invoked. */
  count(name: string): number {
    return this.#invocations.get(name) ?? 0;
  }

  // --- from outside -------------------------------------------------------------------------------------------------

  async invoke(request: InvokeRequest): Promise<InvokeAnswer> {
    const name = plainName(request.functionName);
    const definition = this.#definition(name);
    const version = request.qualifier ?? '$LATEST';
    const limit = request.type === 'Event' ? largestAsynchronous : largestSynchronous;
    const bytes = Buffer.byteLength(request.payload);
    if (bytes > limit) throw new LambdaError('RequestTooLargeException', `${bytes} bytes exceed ${limit}`, 413);
    if (!isJson(request.payload)) throw new LambdaError('InvalidRequestContentException', 'the payload is not JSON');
    if (this.faults.throttles?.(name)) throw throttled('Rate Exceeded.');
    if (request.type === 'DryRun') return { status: 204, payload: '', version };
    if (definition.durable) return this.#startExecution(name, definition, request);
    if (request.executionName !== undefined) {
      throw new LambdaError(
        'InvalidParameterValueException',
        `function ${name} is not durable: it takes no execution name`,
      );
    }
    if (request.type === 'Event') {
      this.#store.enqueue(name, request.payload, this.#clock.now());
      this.#wake?.();
      return { status: 202, payload: '', version };
    }
    return this.#answer(name, definition, request.payload, version);
  }

  #startExecution(name: string, { durable }: FunctionDefinition, request: InvokeRequest): InvokeAnswer {
    if (request.qualifier === undefined) {
      const text = 'You cannot invoke a durable function using an unqualified ARN.';
      throw new LambdaError('InvalidParameterValueException', text);
    }
    if (request.type !== 'Event') {
      throw new LambdaError('InvalidParameterValueException', 'this stand-in starts durable functions by Event alone');
    }
    const execution = this.executions.start({
      functionName: name,
      functionArn: this.functionArn(name),
      version: '1',
      name: request.executionName ?? this.#ids.next(),
      input: request.payload === '' ? '{}' : request.payload,
      timeoutSeconds: durable?.executionTimeoutSeconds ?? defaultExecutionTimeoutSeconds,
    });
    return { status: 202, payload: '', version: '1', executionArn: execution.arn };
  }

  async #answer(name: string, definition: FunctionDefinition, payload: string, version: string): Promise<InvokeAnswer> {
    const event = (): unknown => JSON.parse(payload === '' ? '{}' : payload);
    try {
      if (this.faults.repeats?.(name)) await this.#call(name, definition, event()).catch(() => undefined);
      const result = await this.#call(name, definition, event());
      const text = JSON.stringify(result ?? null);
      if (Buffer.byteLength(text) > largestSynchronous) {
        throw Object.assign(new Error('Response payload size exceeded'), { name: 'Function.ResponseSizeTooLarge' });
      }
      return { status: 200, payload: text, version };
    } catch (error) {
      if (error instanceof LambdaError) throw error;
      const { ErrorType, ErrorMessage } = errorObject(error);
      const text = JSON.stringify({ errorType: ErrorType, errorMessage: ErrorMessage, trace: [] });
      return { status: 200, payload: text, functionError: 'Unhandled', version };
    }
  }

  /**
   * What the library of a durable function talks to, without HTTP. A lost process never hears of what it asked.
   * @example withDurableExecution(handler, { durableExecutionClient: service.client() })
   */
  client() {
    return {
      checkpoint: async (request: {
        DurableExecutionArn?: string | undefined;
        CheckpointToken?: string | undefined;
        ClientToken?: string | undefined;
        Updates?: Checkpoint['updates'] | undefined;
      }) => {
        const { token, operations } = await this.checkpoint({
          arn: request.DurableExecutionArn ?? '',
          token: request.CheckpointToken ?? '',
          clientToken: request.ClientToken,
          updates: request.Updates ?? [],
        });
        return { CheckpointToken: token, NewExecutionState: { Operations: operations.map(forEvents) } };
      },
      getExecutionState: async (request: {
        DurableExecutionArn?: string | undefined;
        CheckpointToken?: string | undefined;
        Marker?: string | undefined;
      }) => {
        const { DurableExecutionArn: arn = '', CheckpointToken: token = '', Marker } = request;
        const page = this.page(this.executions.state(arn, token), Number(Marker ?? 0));
        return { Operations: page.operations.map(forEvents), ...(page.next ? { NextMarker: page.next } : {}) };
      },
    };
  }

  /** Never settles when the process that asks is lost at this point. */
  async checkpoint(request: Checkpoint): Promise<{ token: string; operations: Operation[] }> {
    const running = this.#running.get(request.arn);
    const name = this.executions.find(request.arn).function;
    const losesAt = async (point: FaultPoint): Promise<boolean> => {
      if (!running || !(await this.faults.loses?.(point, name))) return false;
      running.lose(point);
      return true;
    };
    if (await losesAt('before-checkpoint')) return new Promise(() => undefined);
    const answer = this.executions.checkpoint(request);
    if (await losesAt('after-checkpoint')) return new Promise(() => undefined);
    return answer;
  }

  /** Operations from a place on, as many as are told at once. */
  page(operations: readonly Operation[], from: number): { operations: Operation[]; next?: string } {
    const to = from + (this.#options.pageSize ?? 1000);
    return { operations: operations.slice(from, to), ...(to < operations.length ? { next: String(to) } : {}) };
  }

  /** The process that runs this execution right now is lost. */
  loseProcess(arn: string): void {
    this.#running.get(arn)?.lose('after-checkpoint');
  }

  // --- running ------------------------------------------------------------------------------------------------------

  /** Runs everything that is due by the clock, until nothing is. */
  async runDue(): Promise<void> {
    const running = new Set<Promise<void>>();
    for (;;) {
      const began = this.#beginDue(running);
      if (!began && running.size === 0) return;
      if (running.size > 0) await Promise.race(running);
    }
  }

  /** When the next thing is due; Infinity when nothing is on its way. */
  nextDue(): number {
    return this.#store.nextDue();
  }

  countRunning(): number {
    return this.#store.countRunning();
  }

  /** Goes on by itself, by the clock, until it is stopped. */
  run(): void {
    if (this.#isLive) return;
    this.#isLive = true;
    this.#loop = this.#runForever();
  }

  /** No new work begins; resolves when the running work has ended. */
  async stop(): Promise<void> {
    this.#isLive = false;
    this.#wake?.();
    await this.#loop;
  }

  async #runForever(): Promise<void> {
    const running = new Set<Promise<void>>();
    while (this.#isLive) {
      this.#beginDue(running);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const next = this.nextDue();
      // What is due already waits for something that runs.
      const wait = next > this.#clock.now() ? next - this.#clock.now() : 1000;
      const cancel = Number.isFinite(wait) ? this.#timers.after(Math.min(wait, 2 ** 31 - 1), resolve) : () => undefined;
      await Promise.race([promise, ...running]);
      cancel();
    }
    await Promise.allSettled(running);
  }

  #beginDue(running: Set<Promise<void>>): boolean {
    this.executions.passTime();
    const now = this.#clock.now();
    let began = false;
    const begin = (key: string, work: () => Promise<void>): void => {
      if (running.size >= (this.#options.concurrency ?? 1) || this.#busy.has(key)) return;
      this.#busy.add(key);
      began = true;
      const done: Promise<void> = work().finally(() => {
        running.delete(done);
        this.#busy.delete(key);
      });
      running.add(done);
    };
    for (const { arn } of this.#store.toWake(now)) begin(arn, () => this.#continue(arn));
    for (const queued of this.#store.dueInvocations(now)) begin(`queued ${queued.seq}`, () => this.#serve(queued));
    return began;
  }

  /** An invocation that nobody waits for. */
  async #serve(queued: QueuedInvocation): Promise<void> {
    const { seq, function: name, payload, attempt } = queued;
    const definition = this.#functions.get(name);
    try {
      if (!definition) throw new Error(`there is no function ${name}`);
      await this.#call(name, definition, JSON.parse(payload === '' ? '{}' : payload));
      this.#store.removeInvocation(seq);
    } catch (error) {
      const pause = retryPausesMs[attempt - 1];
      if (pause !== undefined) return this.#store.postpone(queued, this.#clock.now() + pause);
      this.dropped.push(`${name}: ${errorObject(error).ErrorMessage}`);
      this.#store.removeInvocation(seq);
    }
  }

  /** The next invocation of a durable execution. */
  async #continue(arn: string): Promise<void> {
    const { execution, operations } = this.executions.beginInvocation(arn);
    const definition = this.#functions.get(execution.function);
    const end = definition
      ? await this.#invokeDurable(execution, definition, operations)
      : ({ kind: 'lost', error: { ErrorMessage: `there is no function ${execution.function}` } } as const);
    const pause = this.#options.retryPauseMs ?? ((failures: number) => Math.min(200 * 2 ** (failures - 1), 60_000));
    this.executions.endInvocation(execution, end, pause);
  }

  async #invokeDurable(
    execution: Execution,
    definition: FunctionDefinition,
    operations: readonly Operation[],
  ): Promise<InvocationEnd> {
    const { arn, function: name } = execution;
    const first = this.page(operations, 0);
    const event = () => ({
      DurableExecutionArn: arn,
      CheckpointToken: String(execution.token),
      InitialExecutionState: {
        Operations: first.operations.map(forEvents),
        ...(first.next ? { NextMarker: first.next } : {}),
      },
    });
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    const killed = new AbortController();
    this.#running.set(arn, {
      lose: (point) => {
        const reason = new ProcessLost(point, name);
        killed.abort(reason);
        reject(reason);
      },
    });
    try {
      const both = [this.#call(name, definition, event(), killed.signal)];
      if (this.faults.doubles?.(name)) both.push(this.#call(name, definition, event(), killed.signal));
      // Of two, one finds that its checkpoints are refused.
      return readEnd(await Promise.race([Promise.any(both), lost]));
    } catch (error) {
      const cause = error instanceof AggregateError ? error.errors[0] : error;
      return { kind: 'lost', error: errorObject(cause) };
    } finally {
      this.#running.delete(arn);
    }
  }

  /** One invocation, within its time. */
  async #call(name: string, definition: FunctionDefinition, event: unknown, killed?: AbortSignal): Promise<unknown> {
    const { timeoutSeconds = defaultTimeoutSeconds, reservedConcurrency = Number.POSITIVE_INFINITY } = definition;
    const atOnce = this.#atOnce.get(name) ?? 0;
    if (atOnce >= reservedConcurrency) throw throttled('Rate Exceeded.');
    this.#atOnce.set(name, atOnce + 1);
    this.#invocations.set(name, this.count(name) + 1);
    const controller = new AbortController();
    const signal = killed ? AbortSignal.any([killed, controller.signal]) : controller.signal;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => undefined);
    const end = (reason: Error): void => {
      controller.abort(reason);
      reject(reason);
    };
    const cancel = this.#timers.after(timeoutSeconds * 1000, () => end(new TimedOut(timeoutSeconds)));
    try {
      if (await this.faults.loses?.('before-invocation', name)) throw new ProcessLost('before-invocation', name);
      const context = this.#context(name, timeoutSeconds, signal);
      const result = await Promise.race([definition.run(event, context), ended]);
      if (await this.faults.loses?.('after-invocation', name)) throw new ProcessLost('after-invocation', name);
      return result;
    } finally {
      cancel();
      this.#atOnce.set(name, (this.#atOnce.get(name) ?? 1) - 1);
    }
  }

  readonly #atOnce = new Map<string, number>();

  #context(name: string, timeoutSeconds: number, killed: AbortSignal): InvocationContext {
    const end = this.#clock.monotonic() + timeoutSeconds * 1000;
    return {
      functionName: name,
      functionVersion: '1',
      invokedFunctionArn: this.functionArn(name),
      awsRequestId: this.#ids.next(),
      memoryLimitInMB: '512',
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: 'stand-in',
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => (this.#options.suspendsAtOnce ? 0 : end - this.#clock.monotonic()),
      killed,
    };
  }

  #definition(name: string): FunctionDefinition {
    const definition = this.#functions.get(name);
    if (!definition)
      throw new LambdaError('ResourceNotFoundException', `Function not found: ${this.functionArn(name)}`, 404);
    return definition;
  }
}

class TimedOut extends Error {
  override readonly name = 'Sandbox.Timedout';

  constructor(seconds: number) {
    super(`Error: Task timed out after ${seconds.toFixed(2)} seconds`);
  }
}

const throttled = (message: string): LambdaError => new LambdaError('TooManyRequestsException', message, 429);

/** Functions may be named by their ARN, with or without a version. */
export function plainName(nameOrArn: string): string {
  const [, fromArn] = /:function:([^:]+)/.exec(nameOrArn) ?? [];
  return fromArn ?? (nameOrArn.split(':')[0] as string);
}

const forEvents = (operation: Operation): never => toWire(operation, (at) => new Date(at).toISOString()) as never;

function readEnd(output: unknown): InvocationEnd {
  const { Status, Result, Error: error } = (output ?? {}) as { Status?: string; Result?: string; Error?: ErrorObject };
  if (Status === 'PENDING') return { kind: 'pending' };
  if (Status === 'SUCCEEDED') return { kind: 'succeeded', result: Result };
  if (Status === 'FAILED') return { kind: 'failed', error: error ?? {} };
  return { kind: 'failed', error: { ErrorMessage: 'Invalid Status in invocation output.' } };
}

function errorObject(error: unknown): { ErrorType: string; ErrorMessage: string } {
  return error instanceof Error
    ? { ErrorType: error.name, ErrorMessage: error.message }
    : { ErrorType: 'Error', ErrorMessage: String(error) };
}

function isJson(text: string): boolean {
  if (text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
