/**
 * How functions reach workflows on Lambda durable functions. A start is an invocation without an answer under a name that derives
 * from function, key and epoch: the service takes a second one with the same payload for the first, and refuses one with another. What it
 * calls the execution can't be derived, so it is kept with the epoch.
 */
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import type { StartRequest, WorkflowClient, WorkflowInfo } from '../contract.ts';
import { type EpochRecord, Epochs, type RestartRequest, type Started } from '../epochs.ts';
import { putMark } from '../mailbox.ts';
import type { StartPayload } from '../payloads.ts';
import type { Records } from '../records.ts';
import type { Restarted, RestartOptions } from '../restart.ts';
import type { Workflow } from '../vocabulary.ts';
import type { ExecutionView, LambdaApi } from './api.ts';
import { infoOf, isRunning, waitingForIn } from './info.ts';
import type { KnownExecutions } from './inspection.ts';
import { executionName } from './names.ts';

export interface LambdaClientOptions {
  api: LambdaApi;
  records: Records;
  /** What the deployed durable function knows. */
  workflows: readonly Workflow[];
  clock: Clock;
  maxResultBytes?: number;
}

/** Enough of the newest events to find what is under way: the items of an `all` with their invocations between them. */
const newestEvents = 50;

/** How long the service may take to show what it has taken. */
const shownWithinMs = 60_000;

export class LambdaWorkflowClient implements WorkflowClient, KnownExecutions {
  readonly #api: LambdaApi;
  readonly #records: Records;
  readonly #epochs: Epochs;

  constructor({ api, records, workflows, clock, maxResultBytes }: LambdaClientOptions) {
    this.#api = api;
    this.#records = records;
    this.#epochs = new Epochs({
      records,
      workflows,
      clock,
      ...defined({ maxInputBytes: maxResultBytes }),
      engine: {
        // Nobody has written down that it was started: then it is started once more, which is no second one.
        look: async (_key, { handle, startedAt }) => {
          if (handle === undefined) return undefined;
          const execution = await api.execution(handle);
          if (execution) return isRunning(execution) ? 'running' : 'ended';
          // What was started a moment ago may not be shown yet, and then a second one must not be.
          return clock.now() - startedAt < shownWithinMs ? 'running' : undefined;
        },
        start: (key, epoch, payload) => this.#start(executionName(api.functionName, key, epoch), payload),
        stop: async (key, { epoch, handle }, reason) => {
          const arn = handle ?? (await api.find(executionName(api.functionName, key, epoch)))?.arn;
          if (arn !== undefined) await api.stop(arn, reason);
        },
      },
    });
  }

  ensure<Input extends Json>(request: StartRequest<Input>): Promise<Started> {
    return this.#epochs.ensure(request);
  }

  /** Throws `RestartRefused`. */
  restart(old: RestartRequest, options: RestartOptions): Promise<Restarted> {
    return this.#epochs.restart(old, options);
  }

  async arnOf(key: string, epoch: number): Promise<string | undefined> {
    const newest = await this.#epochs.newest(key);
    return newest?.epoch === epoch ? newest.handle : undefined;
  }

  async signal(key: string, name: string): Promise<void> {
    const newest = await this.#epochs.newest(key);
    if (!newest) return;
    const token = await putMark(this.#records, `${key}/${newest.epoch}`, name);
    // A wait that is over is nobody's loss: the mark is there for the next one.
    if (token !== undefined) await this.#api.completeCallback(token);
  }

  async latest(key: string): Promise<WorkflowInfo | undefined> {
    const newest = await this.#epochs.newest(key);
    const execution = newest && (await this.#find(key, newest));
    if (!execution) return undefined;
    if (!isRunning(execution)) return infoOf(key, newest, execution);
    const query = { newestFirst: true, withData: false, limit: newestEvents };
    const { events } = await this.#api.history(execution.arn, query);
    return infoOf(key, newest, execution, waitingForIn(events));
  }

  async #start(name: string, payload: StartPayload): Promise<{ ran?: boolean; handle?: string }> {
    const started = await this.#api.start(name, JSON.stringify(payload));
    if (started) return { handle: started.arn };
    // Somebody has started it with another input: it runs, or has run, all the same.
    const there = await this.#api.find(name);
    return there ? { ran: false, handle: there.arn } : { ran: false };
  }

  /** Whoever started it may have died before it was written down. */
  #find(key: string, { epoch, handle }: EpochRecord): Promise<ExecutionView | undefined> {
    if (handle !== undefined) return this.#api.execution(handle);
    return this.#foundByName(executionName(this.#api.functionName, key, epoch));
  }

  async #foundByName(name: string): Promise<ExecutionView | undefined> {
    const found = await this.#api.find(name);
    return found && this.#api.execution(found.arn);
  }
}
