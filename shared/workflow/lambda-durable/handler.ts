/**
 * Workflows on Lambda durable functions: the only file that knows the library. It turns the commands of a workflow into
 * durable operations, as few as can be, because each is a write that is paid for and an execution may have 3,000 of them.
 *
 * - A call is one operation with all its retries, and a poll with all its rounds: both are conditions that are looked at, because what a condition
 *   keeps between two looks lets us count tries apart from calls that reached nobody.
 * - Every step keeps the time of its end beside its value, so the time right after a step costs nothing.
 * - A wait for a signal is a callback and a step that leaves the callback's id in the mailbox. That a signal was taken
 *   is written down by the step that comes next, whatever it is: that one looks at what the signal was about.
 * - Waits are whole seconds, one at least. They are rounded up, so nothing comes too early.
 */
import {
  type DurableContext,
  DurableExecutionApiClient,
  type DurableExecutionClient,
  type DurableLambdaHandler,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js';
import type { Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import { serveMailbox } from '../mailbox.ts';
import type { ActivityAnswer, ActivityPayload, MailboxPayload, StartPayload } from '../payloads.ts';
import { type Answer, applyAnswer, type Item, instantOutcome, openItems, retryDelay } from '../progress.ts';
import { record } from '../recordable.ts';
import type { Records } from '../records.ts';
import { defaultMaxResultBytes } from '../run-activity.ts';
import {
  leavesOf,
  messageOf,
  type Outcome,
  signature,
  Thread,
  unknownActivity,
  unknownActivityMessage,
} from '../thread.ts';
import type { CallCommand, Command, LeafCommand, PollCommand, Retry, Workflow } from '../vocabulary.ts';
import { WorkflowEnded } from './endings.ts';
import { operationName } from './names.ts';
import { RecordedOperations } from './recorded.ts';

export interface DurableHandlerOptions {
  workflows: readonly Workflow[];
  /** By their names; what is behind them does not matter here. */
  activities: object;
  /** Runs one execution of an activity, wherever that is. What it throws counts as thrown by the activity. */
  runActivity(name: string, payload: ActivityPayload): Promise<ActivityAnswer | Busy>;
  /** Where signals are left. */
  records: Records;
  clock: Clock;
  maxResultBytes?: number;
  /** The way to the platform's checkpoints; the Lambda service unless told otherwise. */
  client?: DurableExecutionClient;
}

/** Nobody could be asked, because too much is asked for at once: that is no try of the activity. */
export type Busy = { ok: false; error: string; busy: true };

/** What a durable function does with each of its invocations. */
export function durableHandler(options: DurableHandlerOptions): DurableLambdaHandler {
  const client = options.client ?? new DurableExecutionApiClient();
  const rules: Rules = {
    ...options,
    byName: new Map(options.workflows.map((workflow) => [workflow.name, workflow])),
    maxBytes: options.maxResultBytes ?? defaultMaxResultBytes,
  };
  return async (event, context) => {
    // One for each invocation: it is given what this invocation found on record.
    const run = (whole: typeof event) =>
      withDurableExecution((start: StartPayload, durable) => runWorkflow(start, durable, rules, recordedIn(whole)), {
        durableExecutionClient: client,
      })(whole, context);
    return run(event?.InitialExecutionState ? await withAllPages(event, client) : event);
  };
}

type Event = Parameters<DurableLambdaHandler>[0];

interface Rules extends DurableHandlerOptions {
  byName: ReadonlyMap<string, Workflow>;
  maxBytes: number;
}

/** A long history comes in pages. All of it is needed before the first command can be compared with it. */
async function withAllPages(event: Event, client: DurableExecutionClient): Promise<Event> {
  const { DurableExecutionArn, CheckpointToken } = event;
  let marker = event.InitialExecutionState.NextMarker;
  if (!marker) return event;
  const operations = [...event.InitialExecutionState.Operations];
  while (marker) {
    const page = await client.getExecutionState({
      DurableExecutionArn,
      CheckpointToken,
      Marker: marker,
      MaxItems: 1000,
    });
    operations.push(...(page.Operations ?? []));
    marker = page.NextMarker;
  }
  return { ...event, InitialExecutionState: { Operations: operations } };
}

function recordedIn(event: Event): RecordedOperations {
  const operations = event.InitialExecutionState.Operations.filter(({ Type }) => Type !== 'EXECUTION');
  return new RecordedOperations(operations.map(({ Name }) => Name ?? ''));
}

async function runWorkflow(
  start: StartPayload,
  durable: DurableContext,
  rules: Rules,
  recorded: RecordedOperations,
): Promise<Json> {
  if (typeof start?.workflow !== 'string' || typeof start.id !== 'string') {
    throw new WorkflowEnded('failed', 'this execution was not started as a workflow: its payload names none');
  }
  const workflow = rules.byName.get(start.workflow);
  if (!workflow) throw new WorkflowEnded('set-aside', `no workflow named "${start.workflow}" is registered`);
  if (workflow.version !== start.v) {
    const message = `it was started with version ${start.v}, but the code has version ${workflow.version}`;
    throw new WorkflowEnded('mismatched', message);
  }
  const commands = new Commands(durable, start.id, rules, recorded);
  const thread = new Thread(workflow, start.input);
  let turn = thread.begin();
  while (turn.kind === 'command') {
    const missing = unknownActivity(turn.command, rules.activities);
    if (missing !== undefined) throw new WorkflowEnded('failed', unknownActivityMessage(missing));
    turn = thread.feed(await commands.run(turn.command));
  }
  commands.end();
  if (turn.kind === 'failed') throw new WorkflowEnded('failed', turn.error);
  const result = record(turn.value ?? null, 'the result of the workflow', rules.maxBytes);
  if (!result.ok) throw new WorkflowEnded('failed', result.error);
  return result.value;
}

/** What a step leaves in the history. */
type Timed<T> = { value: T; at: number };
/** A leaf that takes a durable operation of this name. */
type Plan = { name: string; leaf: LeafCommand };
type PollState = { item?: Item; at?: number };

/** What a call keeps from one try to the next, and at last its end. */
type CallState = CallTries | CallEnd;
/** `failures` is what a retry policy counts, `refusals` how often in a row nobody could be asked. */
type CallTries = { executions: number; failures: number; refusals: number };
type CallEnd = ({ value: Json } | { ok: false; error: string }) & { at: number };

class Commands {
  readonly #durable: DurableContext;
  readonly #id: string;
  readonly #rules: Rules;
  readonly #recorded: RecordedOperations;
  #command = 0;
  #waits = 0;
  /** When the last step ended, if nothing has come after it. */
  #stepEndedAt: number | undefined;
  /** A signal that has woken a wait and that the mailbox still holds. */
  #untaken: MailboxPayload | undefined;

  constructor(durable: DurableContext, id: string, rules: Rules, recorded: RecordedOperations) {
    this.#durable = durable;
    this.#id = id;
    this.#rules = rules;
    this.#recorded = recorded;
  }

  async run(command: Command): Promise<Outcome> {
    const number = this.#command++;
    if (command.kind === 'now') return { ok: true, value: await this.#now(number) };
    const instant = instantOutcome(command, 0);
    if (instant) {
      this.#check(number, []);
      return instant;
    }
    if (command.kind === 'wait-signal') {
      return { ok: true, value: await this.#waitSignal(number, command.name, command.forSeconds) };
    }
    const outcomes = await this.#settle(number, command);
    if (command.kind !== 'all') return outcomes[0]!;
    return { ok: true, value: outcomes.map(settled) };
  }

  /** After the last command. */
  end(): void {
    mismatched(this.#recorded.differsAtEnd(this.#command));
  }

  #check(number: number, operations: readonly string[]): void {
    mismatched(this.#recorded.differs(number, operations));
  }

  async #now(number: number): Promise<number> {
    if (this.#stepEndedAt !== undefined) {
      this.#check(number, []);
      return this.#stepEndedAt;
    }
    const name = operationName(String(number), 'now');
    this.#check(number, [name]);
    const { at } = await this.#step(name, async () => null, tryForLong);
    this.#stepEndedAt = at;
    return at;
  }

  /** Runs commands beside each other; every one has its outcome, none hides another's. */
  async #settle(number: number, command: Command): Promise<Outcome[]> {
    const isSingle = command.kind !== 'all';
    const plans = leavesOf(command).map((leaf, index) =>
      this.#plan(operationName(isSingle ? String(number) : `${number}.${index}`, signature(leaf)), leaf),
    );
    const names = plans.flatMap((plan) => ('name' in plan ? [plan.name] : []));
    const taking = operationName(`${number}.take`, 'take signal');
    const mustTake = this.#untaken !== undefined && !plans.some((plan) => 'name' in plan && plan.leaf.kind !== 'sleep');
    this.#check(number, mustTake ? [taking, ...names] : names);
    if (mustTake) await this.#step(taking, async () => null, tryForLong);
    this.#stepEndedAt = undefined;
    // In this order they are begun, and by it the library knows them again.
    const outcomes = await Promise.all(plans.map((plan) => ('name' in plan ? this.#begin(plan) : plan.outcome)));
    if (!isSingle) this.#stepEndedAt = undefined;
    return outcomes;
  }

  /** What needs no operation has its outcome at once. */
  #plan(name: string, leaf: LeafCommand): Plan | { outcome: Outcome } {
    const instant = instantOutcome(leaf, 0);
    if (instant) return { outcome: instant };
    if (leaf.kind === 'sleep') return { name, leaf };
    const input = record(leaf.input, `the input of activity "${leaf.activity}"`, this.#rules.maxBytes);
    return input.ok ? { name, leaf: { ...leaf, input: input.value } } : { outcome: { ok: false, error: input.error } };
  }

  #begin({ name, leaf }: Plan): Promise<Outcome> {
    if (leaf.kind === 'sleep') return this.#sleep(name, leaf.seconds);
    return leaf.kind === 'call' ? this.#call(name, leaf) : this.#poll(name, leaf);
  }

  async #sleep(name: string, seconds: number): Promise<Outcome> {
    await this.#durable.wait(name, wholeSeconds(seconds));
    return { ok: true };
  }

  async #call(name: string, { activity, input, retry }: CallCommand): Promise<Outcome> {
    const untaken = this.#takeOver();
    const check = async (state: CallState): Promise<CallState> => {
      if ('at' in state) return state;
      await this.#take(untaken);
      const execution = state.executions + 1;
      const answer = await this.#ask(activity, { id: this.#id, execution, input });
      const at = this.#rules.clock.now();
      if (answer.ok) return { value: answer.value, at };
      const isRefused = 'busy' in answer;
      const failures = state.failures + (isRefused ? 0 : 1);
      const refusals = isRefused ? state.refusals + 1 : 0;
      const isOver = isRefused ? refusals >= whileBusy.max : answer.final || failures >= (retry?.max ?? 1);
      return isOver ? { ok: false, error: answer.error, at } : { executions: execution, failures, refusals };
    };
    const waitStrategy = (state: CallState) => {
      if ('at' in state) return { shouldContinue: false } as const;
      const pause = state.refusals > 0 ? retryDelay(whileBusy, state.refusals) : retryDelay(retry!, state.failures);
      return { shouldContinue: true, delay: wholeSeconds(pause / 1000) } as const;
    };
    try {
      const initialState: CallState = { executions: 0, failures: 0, refusals: 0 };
      const end = await this.#durable.waitForCondition<CallState>(name, check, { initialState, waitStrategy });
      if (!('value' in end))
        return { ok: false, error: 'error' in end ? end.error : `"${name}" ended without an answer` };
      this.#stepEndedAt = end.at;
      return { ok: true, value: end.value };
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  async #poll(name: string, command: PollCommand): Promise<Outcome> {
    const untaken = this.#takeOver();
    const check = async (state: PollState): Promise<PollState> => {
      if (!state.item) await this.#take(untaken);
      const [fresh] = openItems(command, this.#rules.clock.now()) as [Item];
      const item = { ...(state.item ?? fresh) };
      item.executions++;
      const payload = { id: this.#id, execution: item.executions, input: command.input };
      const answer = await this.#ask(command.activity, payload);
      const at = this.#rules.clock.now();
      applyAnswer(command, item, answer, at);
      return { item, at };
    };
    const waitStrategy = ({ item, at = 0 }: PollState) =>
      item === undefined || item.outcome !== undefined
        ? ({ shouldContinue: false } as const)
        : ({ shouldContinue: true, delay: wholeSeconds((item.due - at) / 1000) } as const);
    try {
      const end = await this.#durable.waitForCondition<PollState>(name, check, { initialState: {}, waitStrategy });
      this.#stepEndedAt = end.at;
      return end.item?.outcome ?? { ok: false, error: `the poll "${name}" ended without an outcome` };
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  /** Never throws: a poll whose check throws would be over at once. */
  async #ask(activity: string, payload: ActivityPayload): Promise<Answer | Busy> {
    try {
      return await this.#rules.runActivity(activity, payload);
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  /** The library tries six times unless it is told how often. */
  #step<T extends Json>(name: string, work: () => Promise<T>, retry: Retry): PromiseLike<Timed<T>> {
    const untaken = this.#takeOver();
    const run = async (): Promise<Timed<T>> => {
      await this.#take(untaken);
      const value = await work();
      return { value, at: this.#rules.clock.now() };
    };
    const retryStrategy = (_error: Error, attempt: number) =>
      attempt >= retry.max
        ? ({ shouldRetry: false } as const)
        : ({ shouldRetry: true, delay: wholeSeconds(retryDelay(retry, attempt) / 1000) } as const);
    return this.#durable.step(name, run, { retryStrategy });
  }

  /** The first step after a wait writes down that its signal was taken. */
  #takeOver(): MailboxPayload | undefined {
    const untaken = this.#untaken;
    this.#untaken = undefined;
    return untaken;
  }

  /** A mailbox that can't be reached costs one look too many, and not the step. */
  async #take(untaken: MailboxPayload | undefined): Promise<void> {
    if (untaken) await serveMailbox(this.#rules.records, untaken).catch(() => false);
  }

  async #waitSignal(number: number, signal: string, forSeconds: number): Promise<boolean> {
    const callback = operationName(String(number), `wait-signal ${signal}`);
    const registering = operationName(`${number}.mail`, `register for ${signal}`);
    const order: MailboxPayload['order'] = [0, ++this.#waits];
    const mail = { instance: this.#id, signal, order, forSeconds: Math.ceil(forSeconds) };
    // No time to wait is only a look.
    if (forSeconds === 0) {
      this.#check(number, [registering]);
      return this.#mailbox(registering, { ...mail, do: 'close', token: registering });
    }
    this.#check(number, [callback, registering]);
    const [woken, token] = await this.#durable.createCallback(callback, { timeout: wholeSeconds(forSeconds) });
    if (await this.#mailbox(registering, { ...mail, do: 'register', token })) return true;
    this.#stepEndedAt = undefined;
    try {
      await woken;
    } catch {
      // Its time is over. A signal that came at the last moment stays in the mailbox for the next wait.
      return false;
    }
    this.#untaken = { ...mail, do: 'close', token };
    return true;
  }

  /** A mailbox that can't be reached for long costs the signal, which is a hint, and not the workflow. */
  async #mailbox(name: string, payload: MailboxPayload): Promise<boolean> {
    this.#stepEndedAt = undefined;
    try {
      const { value, at } = await this.#step(name, () => serveMailbox(this.#rules.records, payload), tryForLong);
      this.#stepEndedAt = at;
      return value;
    } catch {
      return false;
    }
  }
}

/** For steps of our own: about a minute and a half. */
const tryForLong: Retry = { max: 5, firstSeconds: 1, factor: 4, capSeconds: 60 };

/** While too much is asked for at once: about 25 minutes in a row. A look that is repeated may be paid for. */
const whileBusy: Retry = { max: 30, firstSeconds: 1, factor: 2, capSeconds: 60 };

const wholeSeconds = (seconds: number): { seconds: number } => ({ seconds: Math.max(1, Math.ceil(seconds)) });

const settled = (outcome: Outcome): Json =>
  outcome.ok ? { ok: true, value: outcome.value ?? null } : { ok: false, error: outcome.error };

function mismatched(difference: string | undefined): void {
  if (difference !== undefined) throw new WorkflowEnded('mismatched', difference);
}
