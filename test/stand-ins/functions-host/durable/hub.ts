/**
 * The task hub: takes starts, events and terminations, and runs what is due on the functions of an app. Every turn of an
 * orchestration and every activity ends in one transaction; a process that dies before it leaves the message in place,
 * and the next one repeats the work.
 */
import type { Clock } from '../../../../shared/base/runtime.ts';
import { systemTimers, type Timers } from '../../../../shared/base/timers.ts';
import type { FunctionApp } from '../core.ts';

import { type DurableFaults, type FaultPoint, ProcessLost } from './faults.ts';
import { eventTypes, type HistoryEvent, type NewEvent } from './protocol.ts';
import type { Scheduled } from './replay.ts';
import type { HubStore, Instance, Message, RuntimeStatus } from './store.ts';
import { askOrchestrator, newEvents, runActivity, scheduledEvent, type TurnOutcome } from './turn.ts';

export interface TaskHubOptions {
  store: HubStore;
  clock: Clock;
  timers?: Timers;
  faults?: DurableFaults;
  /** Turns and activities that run at once; 1 gives the same order every time. */
  concurrency?: number;
  /** The process was lost: gives the app of the next one. Without it a lost process stays lost. */
  nextProcess?: () => Promise<FunctionApp>;
}

export type StartOutcome = 'started' | 'exists';
export type SendOutcome = 'accepted' | 'unknown' | 'ended';

/**
 * A storage queue holds messages back for whole seconds, and the rest is cut off: timers fire early. Less than a second is
 * kept here, because a long timer is asked for again until its time has come, and a clock moved by hand would stand still.
 */
const heldBack = (wanted: number): number => (wanted < 1000 ? Math.max(0, wanted) : Math.floor(wanted / 1000) * 1000);

/** How long a message waits whose function the app does not have. */
const unknownFunctionPauseMs = 300_000;

export const isEnded = (status: RuntimeStatus): boolean => status !== 'Pending' && status !== 'Running';

/** Ids become parts of addresses: these characters are refused by the real extension too. */
export const isInstanceId = (id: string): boolean => id.length <= 100 && /^[^@/\\#?\p{Cc}][^/\\#?\p{Cc}]*$/u.test(id);

export class TaskHub {
  readonly store: HubStore;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #concurrency: number;
  readonly #nextProcess: (() => Promise<FunctionApp>) | undefined;
  readonly #busy = new Set<string>();
  faults: DurableFaults;
  #app: FunctionApp | undefined;
  /** Grows with every process; what an older one still does is not recorded. */
  #process = 0;
  #live = false;
  #wake: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: TaskHubOptions) {
    this.store = options.store;
    this.#clock = options.clock;
    this.#timers = options.timers ?? systemTimers;
    this.#concurrency = options.concurrency ?? 1;
    this.#nextProcess = options.nextProcess;
    this.faults = options.faults ?? {};
  }

  /** A (new) process of the app; whatever another one was doing is lost. */
  use(app: FunctionApp): void {
    this.#process++;
    this.#busy.clear();
    this.#app = app;
  }

  // --- from outside -------------------------------------------------------------------------------------------------

  start(name: string, id: string, input: string | null): StartOutcome {
    return this.store.transaction(() => {
      const existing = this.store.instance(id);
      if (existing && !isEnded(existing.status)) return 'exists';
      this.#create({ id, name, input });
      this.#rouse();
      return 'started';
    });
  }

  raise(id: string, name: string, input: string): SendOutcome {
    const outcome = this.#state(id);
    if (outcome !== 'accepted') return outcome;
    const now = this.#clock.now();
    const event = { EventType: eventTypes.eventRaised, Name: name, Input: input };
    for (const delay of this.faults.eventDelays?.(name) ?? [0]) this.store.sendEvent(id, null, event, now + delay);
    this.#rouse();
    return 'accepted';
  }

  terminate(id: string, reason: string): SendOutcome {
    return this.store.transaction(() => {
      const outcome = this.#state(id);
      const instance = this.store.instance(id);
      if (outcome !== 'accepted' || !instance) return outcome;
      this.store.clear(id);
      this.store.save({
        ...instance,
        status: 'Terminated',
        output: JSON.stringify(reason),
        updated: this.#clock.now(),
      });
      return 'accepted';
    });
  }

  #state(id: string): SendOutcome {
    const instance = this.store.instance(id);
    if (!instance) return 'unknown';
    return isEnded(instance.status) ? 'ended' : 'accepted';
  }

  #create(start: {
    id: string;
    name: string;
    input: string | null;
    parent?: { instance: Instance; taskId: number };
  }): void {
    const { id, name, input, parent } = start;
    const now = this.#clock.now();
    const execution = this.store.nextExecution();
    this.store.remove(id);
    this.store.save({
      id,
      name,
      execution,
      status: 'Pending',
      input,
      output: null,
      custom: null,
      created: now,
      updated: now,
      parent: parent?.instance.id ?? null,
      parentExecution: parent?.instance.execution ?? null,
      parentTask: parent?.taskId ?? null,
    });
    this.#sendStart({ id, name, input, execution }, now);
  }

  #sendStart(instance: Pick<Instance, 'id' | 'name' | 'input' | 'execution'>, now: number): void {
    const { id, name, input, execution } = instance;
    const event = { EventType: eventTypes.executionStarted, Name: name, Input: input ?? 'null' };
    this.store.sendEvent(id, execution, event, now);
  }

  // --- running ------------------------------------------------------------------------------------------------------

  /** Runs everything that is due by the clock, until nothing is. */
  async runDue(): Promise<void> {
    const running = new Set<Promise<void>>();
    for (;;) {
      const started = this.#startDue(running);
      if (!started && running.size === 0) return;
      if (running.size > 0) await Promise.race(running);
    }
  }

  /** When the next thing is due; Infinity when nothing is on its way. */
  nextDue(): number {
    return this.store.nextDue();
  }

  /** Goes on by itself, by the clock, until it is stopped. */
  run(): void {
    if (this.#live) return;
    this.#live = true;
    this.#loop = this.#runForever();
  }

  /** No new work begins; resolves when the running work has ended. */
  async stop(): Promise<void> {
    this.#live = false;
    this.#rouse();
    await this.#loop;
  }

  async #runForever(): Promise<void> {
    const running = new Set<Promise<void>>();
    while (this.#live) {
      this.#startDue(running);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const wait = this.#nextIdleDue() - this.#clock.now();
      const cancel = wait > 0 && Number.isFinite(wait) ? this.#timers.after(wait, resolve) : () => undefined;
      await Promise.race([promise, ...running]);
      cancel();
    }
    await Promise.allSettled(running);
  }

  /** What is due already waits for something that is running, and is looked at when that ends. */
  #nextIdleDue(): number {
    const next = this.store.nextDue();
    return next > this.#clock.now() ? next : this.#clock.now() + (this.#busy.size > 0 ? 1000 : 10);
  }

  #rouse(): void {
    this.#wake?.();
  }

  #startDue(running: Set<Promise<void>>): boolean {
    let started = false;
    for (const message of this.store.due(this.#clock.now())) {
      if (running.size >= this.#concurrency) break;
      const key = message.kind === 'activity' ? `activity ${message.seq}` : `instance ${message.instance}`;
      if (this.#busy.has(key) || !this.store.has(message)) continue;
      const process = this.#process;
      this.#busy.add(key);
      started = true;
      const work: Promise<void> = this.#work(message)
        .catch((error: unknown) => this.#lost(error, process))
        .finally(() => {
          running.delete(work);
          if (process === this.#process) this.#busy.delete(key);
        });
      running.add(work);
    }
    return started;
  }

  async #work(message: Message): Promise<void> {
    if (message.kind === 'activity') await this.#activity(message);
    else await this.#turn(message.instance);
  }

  async #lost(error: unknown, process: number): Promise<void> {
    if (!(error instanceof ProcessLost)) throw error;
    if (process !== this.#process) return;
    this.#process++;
    this.#busy.clear();
    this.#app = undefined;
    if (this.#nextProcess) this.use(await this.#nextProcess());
  }

  async #die(point: FaultPoint, name: string): Promise<void> {
    if (await this.faults.loses?.(point, name)) throw new ProcessLost(point, name);
  }

  /** Throws when the process that began a piece of work is not the present one. */
  #theApp(): FunctionApp {
    if (!this.#app) throw new ProcessLost('before-activity', 'everything');
    return this.#app;
  }

  async #activity(message: Extract<Message, { kind: 'activity' }>): Promise<void> {
    const { taskId, name, input } = message.call;
    const app = this.#theApp();
    const process = this.#process;
    await this.#die('before-activity', name);
    if (!app.functions.has(name)) {
      this.store.postpone(message, this.#clock.now() + unknownFunctionPauseMs);
      return;
    }
    let event = await runActivity(app, name, input, taskId);
    if (this.faults.repeats?.(name)) event = await runActivity(app, name, input, taskId);
    if (process !== this.#process) return;
    await this.#die('after-activity', name);
    if (process !== this.#process) return;
    this.store.transaction(() => {
      this.store.consume([message]);
      const copies = this.faults.completions?.(name) ?? 1;
      for (let n = 0; n < copies; n++) {
        this.store.sendEvent(message.instance, message.execution, event, this.#clock.now());
      }
    });
  }

  // --- one turn of an orchestration ---------------------------------------------------------------------------------

  async #turn(id: string): Promise<void> {
    const now = this.#clock.now();
    const instance = this.store.instance(id);
    const due = this.store.dueFor(id, now);
    const messages = due.filter((message) => message.execution === null || message.execution === instance?.execution);
    if (!instance || isEnded(instance.status) || messages.length === 0) {
      this.store.consume(due);
      return;
    }
    const app = this.#theApp();
    const process = this.#process;
    if (!app.functions.has(instance.name)) {
      for (const message of messages) this.store.postpone(message, now + unknownFunctionPauseMs);
      return;
    }
    const past = this.store.history(id);
    const ahead = this.faults.clockAhead?.() ?? 0;
    const news = newEvents(past, messages, now + ahead);
    if (!news) {
      // An event that came before the start itself: it waits for it.
      for (const message of messages) this.store.postpone(message, now + 1);
      return;
    }
    const outcome = await askOrchestrator(app, instance, past, news);
    if (process !== this.#process) return;
    await this.#die('before-checkpoint', instance.name);
    if (await this.faults.loses?.('after-send', instance.name)) {
      this.store.transaction(() => this.#send(instance, outcome.fresh, ahead));
      throw new ProcessLost('after-send', instance.name);
    }
    if (process !== this.#process) return;
    this.store.transaction(() => {
      this.store.consume(due);
      // It may have been terminated, or started anew, while it was thinking.
      const current = this.store.instance(id);
      if (current?.execution !== instance.execution || isEnded(current.status)) return;
      this.#checkpoint(instance, news, outcome, { now, ahead });
    });
  }

  #checkpoint(
    instance: Instance,
    news: readonly HistoryEvent[],
    outcome: TurnOutcome,
    { now, ahead }: { now: number; ahead: number },
  ): void {
    const custom = outcome.custom ?? instance.custom;
    if (outcome.continueAsNew) {
      this.store.clear(instance.id);
      const input = JSON.stringify(outcome.continueAsNew.input ?? null);
      const next = { ...instance, input, custom, execution: this.store.nextExecution(), updated: now };
      this.store.save(next);
      this.#sendStart(next, now);
      return;
    }
    const Timestamp = new Date(now).toISOString();
    const scheduled = outcome.fresh.map((one) => ({ ...scheduledEvent(one), EventId: one.id, Timestamp }));
    const completed = { EventType: eventTypes.orchestratorCompleted, EventId: -1, Timestamp };
    this.store.append(instance.id, [...news, ...scheduled, completed]);
    this.#send(instance, outcome.fresh, ahead);
    if (outcome.failed !== undefined) this.#end(instance, 'Failed', JSON.stringify(outcome.failed), custom);
    else if (outcome.output !== undefined) this.#end(instance, 'Completed', outcome.output, custom);
    else this.store.save({ ...instance, status: 'Running', custom, updated: now });
  }

  /** @param ahead Of the sender's clock, by which it counts how long a timer is to be held back. */
  #send(instance: Instance, fresh: readonly Scheduled[], ahead: number): void {
    const now = this.#clock.now();
    for (const one of fresh) {
      if (one.kind === 'activity') {
        const taskCall = { taskId: one.id, name: one.name, input: JSON.stringify(one.input ?? null) };
        this.store.sendCall(instance.id, instance.execution, taskCall, now);
      } else if (one.kind === 'timer') {
        if (one.isCanceled) continue;
        const fired = { EventType: eventTypes.timerFired, TimerId: one.id };
        this.store.sendEvent(instance.id, instance.execution, fired, now + heldBack(one.fireAt - now - ahead));
      } else {
        const id = one.instanceId ?? `${instance.id}.${instance.execution}:${one.id.toString(16).padStart(4, '0')}`;
        const input = JSON.stringify(one.input ?? null);
        // Sent twice by a repeated turn, it is one and the same.
        if (this.store.instance(id)?.parentTask === one.id) continue;
        this.#create({ id, name: one.name, input, parent: { instance, taskId: one.id } });
      }
    }
  }

  #end(instance: Instance, status: 'Completed' | 'Failed', output: string, custom: string | null): void {
    const now = this.#clock.now();
    this.store.save({ ...instance, status, output, custom, updated: now });
    if (instance.parent === null || instance.parentTask === null) return;
    const TaskScheduledId = instance.parentTask;
    const event: NewEvent =
      status === 'Completed'
        ? { EventType: eventTypes.subOrchestrationCompleted, TaskScheduledId, Result: output }
        : {
            EventType: eventTypes.subOrchestrationFailed,
            TaskScheduledId,
            Reason: String(JSON.parse(output)),
            Details: '',
          };
    this.store.sendEvent(instance.parent, instance.parentExecution, event, now);
  }
}
