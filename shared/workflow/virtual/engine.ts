/**
 * The driver for tests: everything in one process, in one order, on a clock that jumps to the next thing that is due.
 * It runs the generator from its start for every single step and fails loudly on the first difference, so a workflow
 * that is not deterministic can't hide.
 *
 * @example
 * const engine = new VirtualEngine({ workflows: [hello], activities: { greet: async ({ who }) => `hi ${who}` } });
 * await engine.ensure({ workflow: hello, key: 'a', input: { who: 'you' }, group: 'g' });
 * await engine.runUntilIdle();
 */
import type { Json } from '../../base/json.ts';
import { type Clock, manualClock } from '../../base/runtime.ts';
import type { ActivityContext, StartRequest, WorkflowClient, WorkflowInfo } from '../contract.ts';
import { type Answer, applyAnswer, commandOutcome, instantOutcome, openItems, outcomeWhenDue } from '../progress.ts';
import { record } from '../recordable.ts';
import { leavesOf, messageOf, type Turn, unknownActivity, unknownActivityMessage } from '../thread.ts';
import type { CallCommand, Command, PollCommand, Workflow } from '../vocabulary.ts';
import { History } from './history.ts';

/** Any input type fits: a method's parameters are compared both ways. */
type AnyActivity = { run(input: Json, context: ActivityContext): Promise<Json> }['run'];

export interface VirtualOptions {
  workflows: readonly Workflow[];
  activities: Readonly<Record<string, AnyActivity>>;
  /** Shared with the fakes that the activities use. */
  clock?: Clock & { advance(milliseconds: number): void };
  maxResultBytes?: number;
}

interface Event {
  history: History;
  /** The item that is due; undefined when the generator is to take its next command. */
  index: number | undefined;
  at: number;
}

const mostSteps = 1_000_000;

export class VirtualEngine implements WorkflowClient {
  readonly clock: Clock & { advance(milliseconds: number): void };
  /** Called before every execution of an activity; whatever it does has happened when the activity runs. */
  beforeStep: (id: string, command: CallCommand | PollCommand) => void | Promise<void> = () => undefined;
  readonly #activities: VirtualOptions['activities'];
  readonly #maxResultBytes: number;
  #workflows: ReadonlyMap<string, Workflow> = new Map();
  #histories: History[] = [];
  /** Survives a lost history: an id is never used twice. */
  readonly #epochs = new Map<string, number>();
  readonly #crashes = new Map<number, 'before' | 'after'>();
  #executions = 0;

  constructor(options: VirtualOptions) {
    this.clock = options.clock ?? manualClock();
    this.#activities = options.activities;
    this.#maxResultBytes = options.maxResultBytes ?? 65_536;
    this.replaceCode(options.workflows);
  }

  /** A new deployment: running instances meet other code, or none of their name. */
  replaceCode(workflows: readonly Workflow[]): void {
    this.#workflows = new Map(workflows.map((workflow) => [workflow.name, workflow]));
  }

  /** How many activity executions there have been. */
  get executions(): number {
    return this.#executions;
  }

  /**
   * The process dies around that execution (they are counted from 0): before the activity runs, or after its effect and
   * before its result is recorded. Either way the step is repeated.
   */
  crashAt(execution: number, when: 'before' | 'after'): void {
    this.#crashes.set(execution, when);
  }

  /** Forgets every history of a key, the running one too, as a lost disk would. */
  loseHistory(key: string): void {
    this.#histories = this.#histories.filter((history) => history.key !== key);
  }

  async ensure<Input extends Json>(
    request: StartRequest<Input>,
  ): Promise<{ id: string; epoch: number; started: boolean }> {
    const { workflow, key, aboveEpoch = 0 } = request;
    if (this.#workflows.get(workflow.name)?.version !== workflow.version) {
      throw new Error(`workflow "${workflow.name}" version ${workflow.version} is not registered with this engine`);
    }
    const input = record(request.input, `the input of workflow "${workflow.name}"`, this.#maxResultBytes);
    if (!input.ok) throw new Error(input.error);
    const newest = this.#newest(key);
    if (newest?.status === 'running' || newest?.status === 'set-aside') {
      return { id: newest.id, epoch: newest.epoch, started: false };
    }
    const history = this.#start(key, this.#workflows.get(workflow.name)!, input.text, aboveEpoch);
    return { id: history.id, epoch: history.epoch, started: true };
  }

  async signal(key: string, name: string): Promise<void> {
    const history = this.#newest(key);
    if (history?.status === 'running') history.mail.add(name);
  }

  async latest(key: string): Promise<WorkflowInfo | undefined> {
    return this.#newest(key)?.info();
  }

  /** Every instance there was, in the order of their start. */
  all(): WorkflowInfo[] {
    return this.#histories.map((history) => history.info());
  }

  /** The commands that an instance has finished, by kind and name. */
  commandsOf(id: string): string[] {
    return this.#histories.find((history) => history.id === id)?.finished.map((row) => row.signature) ?? [];
  }

  /** Runs until every instance has ended. */
  async runUntilIdle(): Promise<void> {
    await this.#run(Number.POSITIVE_INFINITY);
  }

  /** Runs everything that is due up to a time, and leaves the clock there. */
  async runUntil(time: number): Promise<void> {
    await this.#run(time);
    this.clock.advance(Math.max(0, time - this.clock.now()));
  }

  async #run(until: number): Promise<void> {
    for (let steps = 0; ; steps++) {
      if (steps > mostSteps) throw new Error(`no end after ${mostSteps} steps: a workflow goes round in circles`);
      const event = this.#nextEvent();
      if (!event || event.at > until) return;
      this.clock.advance(Math.max(0, event.at - this.clock.now()));
      await this.#handle(event);
    }
  }

  #nextEvent(): Event | undefined {
    const now = this.clock.now();
    let first: Event | undefined;
    const consider = (history: History, index: number | undefined, at: number) => {
      if (!first || at < first.at) first = { history, index, at: Math.max(at, now) };
    };
    for (const history of this.#histories) {
      if (history.status !== 'running') continue;
      const { open } = history;
      if (!open) consider(history, undefined, now);
      else if (open.command.kind === 'wait-signal' && history.mail.has(open.command.name)) consider(history, 0, now);
      else for (const [index, item] of open.items.entries()) if (!item.outcome) consider(history, index, item.due);
    }
    return first;
  }

  async #handle({ history, index }: Event): Promise<void> {
    const workflow = this.#workflows.get(history.workflow.name);
    if (!workflow) {
      const reason = `no workflow named "${history.workflow.name}" is registered`;
      history.close('set-aside', this.clock.now(), { error: reason });
      return;
    }
    const { turn, mismatch } = history.replay(workflow);
    if (mismatch !== undefined) {
      history.close('mismatched', this.clock.now(), { error: mismatch });
      this.#start(history.key, workflow, history.input);
    } else if (index === undefined || !history.open) this.#take(history, turn);
    else await this.#serve(history, history.open.command, index);
  }

  #take(history: History, turn: Turn): void {
    const now = this.clock.now();
    if (turn.kind === 'failed') history.close('failed', now, { error: turn.error });
    else if (turn.kind === 'completed') this.#complete(history, turn.value);
    else this.#open(history, turn.command);
  }

  #complete(history: History, value: unknown): void {
    const result = record(value ?? null, 'the result of the workflow', this.#maxResultBytes);
    if (result.ok) history.close('completed', this.clock.now(), { result: result.value });
    else history.close('failed', this.clock.now(), { error: result.error });
  }

  #open(history: History, command: Command): void {
    const now = this.clock.now();
    const missing = unknownActivity(command, this.#activities);
    const outcome = instantOutcome(command, now);
    if (missing !== undefined) history.close('failed', now, { error: unknownActivityMessage(missing) });
    else if (outcome) history.finish(command, outcome, now);
    else history.open = { command, items: openItems(command, now) };
  }

  async #serve(history: History, command: Command, index: number): Promise<void> {
    const item = history.open?.items[index];
    if (!item) return;
    const leaf = leavesOf(command)[index];
    if (command.kind === 'wait-signal' && history.mail.delete(command.name)) item.outcome = { ok: true, value: true };
    else if (leaf && leaf.kind !== 'sleep') {
      await this.beforeStep(history.id, leaf);
      // The hook may have taken the history away.
      if (!this.#histories.includes(history)) return;
      item.executions++;
      const answer = await this.#execute(history.id, leaf, item.executions);
      if (!answer || !this.#histories.includes(history)) return;
      applyAnswer(leaf, item, answer, this.clock.now());
    } else {
      const outcome = outcomeWhenDue(command, leaf);
      if (outcome) item.outcome = outcome;
    }
    const outcome = history.open && commandOutcome(command, history.open.items);
    if (outcome) history.finish(command, outcome, this.clock.now());
  }

  /** Nothing when the process "died" around it. */
  async #execute(workflowId: string, leaf: CallCommand | PollCommand, execution: number): Promise<Answer | undefined> {
    const crash = this.#crashes.get(this.#executions++);
    if (crash === 'before') return undefined;
    const { activity } = leaf;
    const input = record(leaf.input, `the input of activity "${activity}"`, this.#maxResultBytes);
    if (!input.ok) return { ok: false, error: input.error, final: true };
    let answer: Answer;
    try {
      const context = { workflowId, activity, execution, signal: new AbortController().signal };
      const value = await this.#activities[activity]!(input.value, context);
      const result = record(value, `the result of activity "${activity}"`, this.#maxResultBytes);
      answer = result.ok ? { ok: true, value: result.value } : { ok: false, error: result.error, final: true };
    } catch (error) {
      answer = { ok: false, error: messageOf(error) };
    }
    return crash === 'after' ? undefined : answer;
  }

  #newest(key: string): History | undefined {
    return this.#histories.findLast((history) => history.key === key);
  }

  #start(key: string, workflow: Workflow, input: string, aboveEpoch = 0): History {
    const epoch = Math.max(this.#epochs.get(key) ?? 0, aboveEpoch) + 1;
    this.#epochs.set(key, epoch);
    const history = new History({ key, epoch, workflow, input, startedAt: this.clock.now() });
    this.#histories.push(history);
    return history;
  }
}
