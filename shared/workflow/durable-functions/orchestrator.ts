/**
 * Workflows on Durable Functions: the only file that knows the library. Its generators may yield nothing but the
 * library's own tasks, so the commands of a workflow are translated here, inside of one.
 *
 * The history of an instance holds one entry per command, whatever happens inside: rounds of a poll, and retries of calls
 * that run beside others, belong to an orchestration of their own. Activities answer and never throw, so the library's
 * retries, which would repeat every throw, are not used.
 */

import type { DurableOrchestrationContext, OrchestrationContext, Task } from 'durable-functions';
import { Orchestrator } from 'durable-functions/lib/src/orchestrations/Orchestrator.js';
import { errorText } from '../../base/error-text.ts';
import type { Json } from '../../base/json.ts';
import type { ActivityAnswer, ActivityPayload, MailboxPayload, StartPayload } from '../payloads.ts';
import { type Answer, applyAnswer, type Item, instantOutcome, openItems } from '../progress.ts';
import { record } from '../recordable.ts';
import { defaultMaxResultBytes } from '../run-activity.ts';
import { type Outcome, signature, Thread, unknownActivity, unknownActivityMessage } from '../thread.ts';
import type { CallCommand, Command, LeafCommand, PollCommand, Workflow } from '../vocabulary.ts';
import { activityFunction, mailboxFunction, stepFunction, workflowFunction } from './names.ts';
import type { CustomStatus, StepCall, StepPayload } from './payloads.ts';

export interface OrchestratorOptions {
  workflows: readonly Workflow[];
  /** By their names; what is behind them does not matter here. */
  activities: object;
  /** The function that does a step, by its input: the same for the same input, because histories hold on to the name. */
  functionFor(input: Json): string;
  maxResultBytes?: number;
}

/** What a function with an orchestration trigger does. */
export type OrchestratorFunction = (trigger: unknown, context: unknown) => Promise<unknown>;

/** The orchestrators by the names of their functions. */
export function orchestrators(options: OrchestratorOptions): Record<string, OrchestratorFunction> {
  const workflows = new Map(options.workflows.map((workflow) => [workflow.name, workflow]));
  const rules = {
    workflows,
    activities: options.activities,
    functionFor: options.functionFor,
    maxBytes: options.maxResultBytes ?? defaultMaxResultBytes,
  };
  return {
    [workflowFunction]: asFunction((context) => runWorkflow(context.df, rules)),
    [stepFunction]: asFunction((context) => runStep(context.df, rules)),
  };
}

interface Rules {
  workflows: ReadonlyMap<string, Workflow>;
  activities: object;
  functionFor(input: Json): string;
  maxBytes: number;
}

/** Yields tasks; what comes back is the library's, and untyped. */
type Tasks<T> = Generator<Task, T, unknown>;

function asFunction(run: (context: OrchestrationContext) => Tasks<Json | undefined>): OrchestratorFunction {
  // One for each turn: it keeps the turn's state in itself.
  return (trigger, context) => new Orchestrator(run).listen()(trigger, context);
}

function* runWorkflow(df: DurableOrchestrationContext, rules: Rules): Tasks<Json> {
  const start = df.getInput<StartPayload>();
  const workflow = rules.workflows.get(start.workflow);
  if (!workflow) return end(df, 'set-aside', `no workflow named "${start.workflow}" is registered`);
  if (workflow.version !== start.v) {
    return end(
      df,
      'mismatched',
      `it was started with version ${start.v}, but the code has version ${workflow.version}`,
    );
  }
  const commands = new Commands(df, start, rules);
  const thread = new Thread(workflow, start.input);
  let turn = thread.begin();
  while (turn.kind === 'command') {
    const missing = unknownActivity(turn.command, rules.activities);
    if (missing !== undefined) return end(df, 'failed', unknownActivityMessage(missing));
    say(df, { waitingFor: signature(turn.command).slice(0, longestWaitingFor) });
    const outcome = yield* commands.run(turn.command);
    if (commands.mismatch !== undefined) return end(df, 'mismatched', commands.mismatch);
    turn = thread.feed(outcome);
  }
  if (turn.kind === 'failed') return end(df, 'failed', turn.error);
  const result = record(turn.value ?? null, 'the result of the workflow', rules.maxBytes);
  return result.ok ? result.value : end(df, 'failed', result.error);
}

/** The platform takes 16 KB in all. */
const longestWaitingFor = 500;

const say = (df: DurableOrchestrationContext, status: CustomStatus): void => df.setCustomStatus(status);

/** The platform keeps a decorated message; what we say of ourselves is kept as it is. */
function end(df: DurableOrchestrationContext, status: NonNullable<CustomStatus['status']>, error: string): never {
  say(df, { status, error });
  throw new Error(error);
}

/** After so many executions it goes on with an empty history. It takes no events, so none can be lost by that. */
const executionsPerHistory = 20;

function* runStep(df: DurableOrchestrationContext, rules: Rules): Tasks<Json | undefined> {
  const step = df.getInput<StepPayload>();
  const { command } = step;
  const item = { ...step.item };
  const commands = new Commands(df, step, rules);
  say(df, { waitingFor: signature(command) });
  for (let executions = 0; executions < executionsPerHistory; executions++) {
    yield* commands.execute(command, item);
    if (item.outcome) return item.outcome;
  }
  df.continueAsNew({ ...step, item });
  return undefined;
}

class Commands {
  readonly #df: DurableOrchestrationContext;
  readonly #id: string;
  readonly #routed: boolean;
  readonly #rules: Rules;
  readonly #startedAt: number;
  /** Set when the history holds the answer of another step than the code asks for: the code has changed since. */
  mismatch: string | undefined;
  /** Until when its timers have brought it. */
  #reached = 0;
  #waits = 0;

  constructor(df: DurableOrchestrationContext, { id, routed = false }: { id: string; routed?: boolean }, rules: Rules) {
    this.#df = df;
    this.#id = id;
    this.#routed = routed;
    this.#rules = rules;
    this.#startedAt = this.#now();
  }

  *run(command: Command): Tasks<Outcome> {
    const instant = instantOutcome(command, this.#now());
    if (instant) return instant;
    switch (command.kind) {
      case 'call':
        return yield* this.#call(command);
      case 'all':
        return { ok: true, value: (yield* this.#settle(command.items)).map(settled) };
      case 'wait-signal':
        return { ok: true, value: yield* this.#waitSignal(command.name, command.forSeconds) };
      default:
        return (yield* this.#settle([command as LeafCommand]))[0]!;
    }
  }

  /**
   * A timer may fire on a worker whose clock is behind. What it was for has come all the same: whoever went by that clock
   * would wait for the rest again and again, each time for no time at all.
   */
  #now(): number {
    return Math.max(this.#reached, this.#df.currentUtcDateTime.getTime());
  }

  #reach(at: number): void {
    this.#reached = Math.max(this.#reached, Math.ceil(at));
  }

  #timer(at: number) {
    // Timers of over six days come in pieces, and the platform itself asks for the rest.
    const more = at - this.#now() > longestWaitMs ? 0 : cutOffMs;
    return this.#df.createTimer(new Date(Math.ceil(at) + more));
  }

  *#until(at: number): Tasks<void> {
    if (at <= this.#now()) return;
    yield this.#timer(at);
    this.#reach(at);
  }

  *#call(command: CallCommand): Tasks<Outcome> {
    const [item] = openItems(command, this.#now()) as [Item];
    for (;;) {
      yield* this.execute(command, item);
      if (item.outcome) return item.outcome;
    }
  }

  /** One execution, at the time when it is due. */
  *execute(command: CallCommand | PollCommand, item: Item): Tasks<void> {
    yield* this.#until(item.due);
    item.executions++;
    applyAnswer(command, item, yield* this.#ask(command, item.executions), this.#now());
  }

  *#ask(command: CallCommand | PollCommand, execution: number): Tasks<Answer> {
    const input = record(command.input, `the input of activity "${command.activity}"`, this.#rules.maxBytes);
    if (!input.ok) return { ok: false, error: input.error, final: true };
    const step = this.#step(command.activity, { id: this.#id, execution, input: input.value });
    return this.#compared(command.activity, yield* this.#activity(...step));
  }

  /** Functions do many steps, so the extension, which compares the names of functions, would not see that a step was renamed. */
  #compared<T extends object>(activity: string, answer: T): T {
    if ('activity' in answer && answer.activity !== activity) {
      this.mismatch = `the history has the answer of "${answer.activity}" where the code asks for "${activity}"`;
    }
    return answer;
  }

  /** The function that does a step, and what it is called with. */
  #step(activity: string, payload: ActivityPayload): [name: string, call: ActivityPayload | StepCall] {
    if (!this.#routed) return [activityFunction(activity), payload];
    return [this.#rules.functionFor(payload.input), { activity, ...payload }];
  }

  *#activity(name: string, payload: ActivityPayload | StepCall | MailboxPayload): Tasks<Answer> {
    try {
      return (yield this.#df.callActivity(name, payload)) as ActivityAnswer;
    } catch (error) {
      // Not the activity but its function: out of time, out of memory, not deployed.
      return { ok: false, error: plainMessage(error) };
    }
  }

  /** Runs commands beside each other; every one has its outcome, none hides another's. */
  *#settle(leaves: readonly LeafCommand[]): Tasks<Outcome[]> {
    const begun = leaves.map((leaf) => this.#begin(leaf));
    const tasks = begun.flatMap((one) => ('task' in one ? [one.task] : []));
    if (tasks.length > 0) {
      try {
        yield this.#df.Task.all(tasks);
      } catch {
        // It fails with the first that does; the others are still to be waited for.
        for (const task of tasks) yield* endOf(task);
      }
    }
    return begun.map((one) => ('task' in one ? one.read(one.task) : one.outcome));
  }

  #begin(leaf: LeafCommand): { outcome: Outcome } | { task: Task; read: (task: Task) => Outcome } {
    const instant = instantOutcome(leaf, this.#now());
    if (instant) return { outcome: instant };
    if (leaf.kind === 'sleep') {
      const end = this.#now() + leaf.seconds * 1000;
      const read = (): Outcome => {
        this.#reach(end);
        return { ok: true };
      };
      return { task: this.#timer(end), read };
    }
    const input = record(leaf.input, `the input of activity "${leaf.activity}"`, this.#rules.maxBytes);
    if (!input.ok) return { outcome: { ok: false, error: input.error } };
    if (leaf.kind === 'call' && (leaf.retry?.max ?? 1) === 1) {
      const [name, call] = this.#step(leaf.activity, { id: this.#id, execution: 1, input: input.value });
      const read = (task: Task): Outcome => this.#compared(leaf.activity, outcomeOfActivity(task));
      return { task: this.#df.callActivity(name, call), read };
    }
    const [item] = openItems(leaf, this.#now()) as [Item];
    const payload: StepPayload = {
      id: this.#id,
      command: { ...leaf, input: input.value },
      item,
      ...(this.#routed ? { routed: true } : {}),
    };
    return { task: this.#df.callSubOrchestrator(stepFunction, payload), read: outcomeOfStep };
  }

  /**
   * A timer of over six days is many timers, and the extension loses count of them when it is cancelled. So a long wait
   * is several waits.
   */
  *#waitSignal(signal: string, forSeconds: number): Tasks<boolean> {
    const until = this.#now() + forSeconds * 1000;
    for (;;) {
      const part = Math.min(until, this.#now() + longestWaitMs);
      if (yield* this.#waitUntil(signal, part)) return true;
      if (this.#now() >= until) return false;
    }
  }

  /** Every wait has an event name of its own: an event for a wait that is over wakes nobody, and is nobody's loss. */
  *#waitUntil(signal: string, until: number): Tasks<boolean> {
    const wait = ++this.#waits;
    const token = `${signal}.${wait}.${this.#startedAt.toString(36)}`;
    const order: MailboxPayload['order'] = [this.#startedAt, wait];
    const forSeconds = Math.max(0, Math.ceil((until - this.#now()) / 1000));
    const mail: Omit<MailboxPayload, 'do'> = { instance: this.#df.instanceId, signal, token, order, forSeconds };
    if (yield* this.#mailbox({ ...mail, do: 'register' })) return true;
    if (until > this.#now()) {
      const poke = this.#df.waitForExternalEvent(token);
      const timer = this.#timer(until);
      const first = yield this.#df.Task.any([poke, timer]);
      // An instance ends only when its timers have.
      if (first === poke) timer.cancel();
      else this.#reach(until);
    }
    return yield* this.#mailbox({ ...mail, do: 'close' });
  }

  /** A mailbox that can't be reached for long costs the signal, which is a hint, and not the workflow. */
  *#mailbox(payload: MailboxPayload): Tasks<boolean> {
    for (const pause of mailboxPausesSeconds) {
      const answer = yield* this.#activity(mailboxFunction, payload);
      if (answer.ok) return answer.value === true;
      yield* this.#until(this.#now() + pause * 1000);
    }
    return false;
  }
}

const longestWaitMs = 5 * 86_400_000;

/** A storage queue holds a message back for whole seconds. The rest is cut off, and the timer would fire that much too early. */
const cutOffMs = 999;

const mailboxPausesSeconds = [1, 5, 15, 60];

function* endOf(task: Task): Tasks<void> {
  try {
    yield task;
  } catch {
    // Its state says it.
  }
}

function outcomeOfActivity(task: Task): Outcome {
  return task.isFaulted ? { ok: false, error: plainMessage(task.result) } : (task.result as ActivityAnswer);
}

function outcomeOfStep(task: Task): Outcome {
  return task.isFaulted ? { ok: false, error: plainMessage(task.result) } : (task.result as Outcome);
}

function settled(outcome: Outcome): Json {
  return outcome.ok ? { ok: true, value: outcome.value ?? null } : { ok: false, error: outcome.error };
}

/** The library puts the reason and a trace of the .NET side into one message. */
function plainMessage(error: unknown): string {
  const message = errorText(error);
  return message.split(' \n ')[0] ?? message;
}
