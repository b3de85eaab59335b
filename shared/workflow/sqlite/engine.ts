/**
 * The journal driver: workflows on one machine, safe against the death of the process at any instruction.
 *
 * A running instance keeps its generator in memory. When a step ends, the generator moves to its next command first (it
 * is pure), then one write records both the end of that step and the start of the next; only after that commit does the
 * next activity run. The commits of all instances are grouped. Replay happens only after a restart, or when an instance
 * had been put out of memory.
 */

import { DueHeap } from '../../base/heap.ts';
import type { Json } from '../../base/json.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { GroupCommit, StorageError } from '../../platforms/sqlite/sqlite.ts';
import type { StartRequest, WorkflowClient, WorkflowInfo, WorkflowStatus } from '../contract.ts';
import { type Answer, applyAnswer, outcomeWhenDue } from '../progress.ts';
import { record } from '../recordable.ts';
import { type Restarted, type RestartOptions, refusals } from '../restart.ts';
import type { LeafCommand, Workflow } from '../vocabulary.ts';
import { Alarm } from './alarm.ts';
import { ColdWork } from './cold-work.ts';
import { Executions } from './executions.ts';
import { HotSet } from './hot-set.ts';
import { historyOf, infoOf, parseId } from './info.ts';
import { type InstanceRow, Journal, type PositionRow } from './journal.ts';
import { Live, type LiveRules } from './live.ts';
import { defaultLimits, type EngineLimits, type EngineOptions, type EngineStats, type Inspection } from './options.ts';
import { ReadyQueue } from './ready-queue.ts';
import { recover } from './recover.ts';
import { Reports } from './reports.ts';
import { restore } from './restore.ts';

interface Entry {
  readonly live: Live;
  readonly index: number;
  readonly step: number;
  readonly group: string;
  readonly kills: number;
  readonly follows: boolean;
}

/** What a timer needs to find its item again. It must not keep in memory what is to be put out of it. */
interface Timed {
  readonly row: number;
  readonly serial: number;
  readonly index: number;
  readonly step: number;
}

const timed = ({ row, serial, step }: Live, index: number): Timed => ({ row, serial, index, step });

/** An instance that a write has started. */
interface Start {
  readonly id: string;
  readonly epoch: number;
  readonly workflow: string;
  readonly group: string;
  /** Absent when it waits in the database for room. */
  readonly live?: Live;
  /** Steps that were marked in the same write and are to be executed once it is committed. */
  readonly begun: readonly Entry[];
}

function mark({ live, index }: Entry): void {
  const item = live.items[index]!;
  item.executing = true;
  item.executions++;
}

const sweepEveryMs = 60_000;
const sweepBatch = 500;
const longestKey = 512;
const largestPage = 1000;

export class SqliteEngine implements WorkflowClient {
  readonly #options: EngineOptions;
  readonly #limits: EngineLimits;
  readonly #timers: Timers;
  readonly #journal: Journal;
  readonly #commits: GroupCommit;
  readonly #workflows: ReadonlyMap<string, Workflow>;
  readonly #rules: LiveRules;
  readonly #ready: ReadyQueue<Entry>;
  readonly #executions: Executions;
  readonly #heap = new DueHeap<Timed>();
  readonly #hot: HotSet;
  readonly #cold: ColdWork;
  readonly #alarm: Alarm;
  readonly #reports: Reports;
  #state: 'opened' | 'running' | 'stopping' | 'stopped' = 'opened';
  #fatal: StorageError | undefined;
  #sweepAt: number;
  #whenQuiet: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    const concurrency = options.limits?.concurrency ?? defaultLimits.concurrency;
    this.#limits = { ...defaultLimits, perGroup: Math.max(1, Math.floor(concurrency / 2)), ...options.limits };
    this.#timers = options.timers ?? systemTimers;
    this.#workflows = new Map(options.workflows.map((workflow) => [workflow.name, workflow]));
    this.#journal = new Journal(options.database);
    this.#commits = new GroupCommit(options.database, { onFatal: (error) => this.#die(error) });
    this.#ready = new ReadyQueue(this.#limits);
    const { hotGenerators, parkedGenerators, perGroup } = this.#limits;
    this.#hot = new HotSet(hotGenerators, parkedGenerators, (hotGenerators * perGroup) / concurrency);
    this.#cold = new ColdWork(this.#journal, this.#limits.resumePerSecond);
    this.#alarm = new Alarm(this.#timers, () => this.#go());
    this.#executions = new Executions({
      activities: options.activities,
      timers: this.#timers,
      deadlineSeconds: options.activityDeadlineSeconds ?? 120,
      maxResultBytes: this.#limits.maxResultBytes,
    });
    this.#rules = {
      activities: options.activities,
      maxResultBytes: this.#limits.maxResultBytes,
      maxSteps: this.#limits.maxSteps,
      now: () => this.#now(),
    };
    this.#sweepAt = this.#now();
    const setAside = recover(this.#journal, {
      now: this.#now(),
      maxKills: this.#limits.maxKills,
      epochFloor: options.epochFloor ?? 0,
    });
    const found = options.database.guard(() => this.#journal.counts());
    this.#reports = new Reports(options.log, options.metrics ?? {}, found);
    for (const { row, reason } of setAside) this.#reports.setAsideBefore(row, reason);
  }

  // --- the port -----------------------------------------------------------------------------------------------------

  async ensure<Input extends Json>(
    request: StartRequest<Input>,
  ): Promise<{ id: string; epoch: number; started: boolean }> {
    const { workflow, key, group, aboveEpoch = 0 } = request;
    if (this.#workflows.get(workflow.name)?.version !== workflow.version) {
      throw new Error(`workflow "${workflow.name}" version ${workflow.version} is not registered with this engine`);
    }
    if (key === '' || key.length > longestKey) throw new Error(`a workflow key has 1 to ${longestKey} characters`);
    const input = record(request.input, `the input of workflow "${workflow.name}"`, this.#limits.maxResultBytes);
    if (!input.ok) throw new Error(input.error);
    if (this.#fatal) throw this.#fatal;
    // Most calls find it running already: no need for a commit to say so.
    const live = this.#hot.running(key);
    if (live) return { id: live.id, epoch: live.identity.epoch, started: false };
    const there = this.#read(() => this.#occupied(key));
    if (there) return { ...there, started: false };
    const { other, start } = await this.#commits.enqueue(() => {
      const occupied = this.#occupied(key);
      if (occupied) return { other: occupied };
      return { start: this.#start({ workflow: workflow.name, key, group, input: input.text }, aboveEpoch) };
    });
    if (!start) return { ...other, started: false };
    this.#started(start);
    this.#go();
    return { id: start.id, epoch: start.epoch, started: true };
  }

  async signal(key: string, name: string): Promise<void> {
    if (this.#fatal) throw this.#fatal;
    const row = this.#hot.running(key)?.row ?? this.#read(() => this.#runningRow(key));
    if (row === undefined) return;
    const isNew = await this.#commits.enqueue(
      () => this.#journal.position(row) !== undefined && this.#journal.putSignal(row, name, this.#now()),
    );
    if (!isNew) return;
    const live = this.#hot.get(row);
    if (!live) this.#cold.lookAgain();
    else if (!live.end && live.deliver(name)) this.#moved(live);
    this.#go();
  }

  async latest(key: string): Promise<WorkflowInfo | undefined> {
    return this.#read(() => {
      const row = this.#journal.newest(key);
      return row && infoOf(row, this.#journal, this.#now());
    });
  }

  // --- running it ---------------------------------------------------------------------------------------------------

  /** Starts to drive what is due. */
  run(): void {
    if (this.#state !== 'opened') return;
    this.#state = 'running';
    this.#go();
  }

  /**
   * No new step begins; running ones finish and are recorded. What is not done within the time is aborted and will be
   * repeated by the next process. It leaves no mark that could be mistaken for a crash.
   */
  stop(options: { finishRunning?: boolean; withinMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(options.finishRunning ?? true, options.withinMs ?? 10_000);
    return this.#stopped;
  }

  async #stop(finishRunning: boolean, withinMs: number): Promise<void> {
    if (this.#fatal) return;
    this.#state = 'stopping';
    this.#alarm.cancel();
    if (finishRunning && this.#ready.running > 0) await this.#quiet(withinMs);
    this.#state = 'stopped';
    this.#executions.abortAll();
    for (const live of this.#hot.values()) {
      const executing = live.items.filter((item) => item.executing);
      if (executing.length === 0) continue;
      for (const item of executing) item.executing = false;
      this.#save(live);
    }
    // Everything queued before this is on the disk when it resolves.
    await this.#commits.enqueue(() => undefined).catch(() => undefined);
  }

  stats(): EngineStats {
    const { commits, writes } = this.#commits.counts;
    return {
      byWorkflow: this.#reports.counts.byWorkflow(),
      ready: this.#ready.waiting,
      running: this.#ready.running,
      hot: this.#hot.size,
      pendingWrites: this.#commits.pending,
      commits,
      writes,
    };
  }

  /** Everything known of one instance, for `explain`. */
  async inspect(id: string): Promise<Inspection | undefined> {
    return this.#read(() => {
      const row = this.#find(id);
      return row && { ...infoOf(row, this.#journal, this.#now()), ...historyOf(row, this.#journal) };
    });
  }

  /** Instances in the order of their start, in pages. */
  async list(
    query: { status?: WorkflowStatus; after?: string; limit?: number } = {},
  ): Promise<{ items: WorkflowInfo[]; next?: string }> {
    return this.#read(() => {
      const limit = Math.min(query.limit ?? 100, largestPage);
      const rows = this.#journal.page(query.status, Number(query.after ?? 0), limit);
      const items = rows.map((row) => infoOf(row, this.#journal, this.#now()));
      const last = rows.at(-1);
      return last && rows.length === limit ? { items, next: String(last.id) } : { items };
    });
  }

  /** Gives an instance that was set aside another chance, as the next epoch of its key. */
  retrySetAside(id: string): Promise<Restarted> {
    return this.#restart(id, (status) => {
      if (status !== 'set-aside') throw new Error(`${id} is not set aside`);
    });
  }

  /** Starts the next epoch of its key, whatever became of this one. Throws `RestartRefused`. */
  restart(id: string, { force = false }: RestartOptions = {}): Promise<Restarted> {
    return this.#restart(id, (status) => {
      if (status === 'running' && !force) throw refusals.running(id);
    });
  }

  /** All in one write: there is never a moment without an epoch that runs, nor one with two of them. */
  async #restart(id: string, check: (status: WorkflowStatus) => void): Promise<Restarted> {
    if (this.#fatal) throw this.#fatal;
    const { row, start } = await this.#commits.enqueue(() => {
      const found = this.#find(id);
      if (!found) throw refusals.unknown(id);
      check(found.status);
      const newest = this.#journal.newest(found.key);
      if (newest && newest.id !== found.id) throw refusals.superseded(id, newest.epoch);
      if (!this.#workflows.has(found.workflow)) throw refusals.unregistered(id, found.workflow);
      const again = this.#start({ workflow: found.workflow, key: found.key, group: found.grp, input: found.input });
      if (found.status === 'set-aside' || found.status === 'running') {
        const note = `${found.error ?? found.status}; retried as epoch ${again.epoch}`;
        this.#journal.end(found.id, 'failed', this.#now(), null, note);
        this.#forget(found.id);
      }
      return { row: found, start: again };
    });
    this.#reports.triedAgain(row, start.epoch);
    this.#started(start);
    this.#go();
    return { id: start.id, epoch: start.epoch };
  }

  /** What it is executing ends by itself, and its answer counts for nothing. */
  #forget(row: number): void {
    const live = this.#hot.get(row);
    if (!live) return;
    live.replaced = true;
    this.#hot.drop(live);
  }

  // --- starting and loading (inside a transaction) ------------------------------------------------------------------

  #runningRow(key: string): number | undefined {
    const newest = this.#journal.newest(key);
    return newest?.status === 'running' ? newest.id : undefined;
  }

  #occupied(key: string): { id: string; epoch: number } | undefined {
    const newest = this.#journal.newest(key);
    if (!newest) return undefined;
    const resting =
      newest.status === 'set-aside' && (newest.ended_at ?? 0) + this.#limits.setAsideSeconds * 1000 > this.#now();
    if (newest.status !== 'running' && !resting) return undefined;
    return { id: `${key}/${newest.epoch}`, epoch: newest.epoch };
  }

  /** Records the next epoch; it is kept in memory if there is room, else it waits in the database for its turn. */
  #start(what: { workflow: string; key: string; group: string; input: string }, aboveEpoch = 0): Start {
    const { key, group } = what;
    const workflow = this.#workflows.get(what.workflow)!;
    const epoch = this.#journal.unusedEpoch(key, aboveEpoch);
    const row = this.#journal.insertInstance({
      ...what,
      epoch,
      version: workflow.version,
      startedAt: this.#now(),
    });
    const start = { id: `${key}/${epoch}`, epoch, workflow: workflow.name, group };
    const nothing = { step: 0, current: null, items: null, signal: null, due: this.#now(), executing: 0 };
    if (!this.#hot.hasRoom(group)) {
      this.#journal.insertPosition(row, group, { ...nothing, wake: this.#now() });
      return { ...start, begun: [] };
    }
    const identity = { key, epoch, group, workflow: workflow.name, version: workflow.version };
    const live = new Live(identity, workflow, this.#journal.parse(what.input), this.#rules);
    live.row = row;
    this.#journal.insertPosition(row, group, { ...nothing, wake: null });
    live.begin();
    this.#hold(live);
    const begun = live.end ? [] : this.#beginAtOnce(live);
    live.write(this.#journal);
    return { ...start, live, begun };
  }

  /** When nobody waits, the first steps are marked in the very write that starts the instance: that spares a commit. */
  #beginAtOnce(live: Live): Entry[] {
    const isFree = this.#state === 'running' && this.#ready.waiting === 0;
    this.#arrange(live);
    const begun: Entry[] = [];
    for (let entry = isFree ? this.#ready.take() : undefined; entry; entry = this.#ready.take()) {
      mark(entry);
      begun.push(entry);
    }
    return begun;
  }

  /** What follows when a start is on the disk. */
  #started(start: Start): void {
    const { workflow, group, live } = start;
    this.#reports.started(workflow, start.id, group);
    for (const entry of start.begun) void this.#execute(entry);
    if (!live) this.#cold.lookAgain();
    else if (live.end) this.#ended(live);
  }

  #load(position: PositionRow): { live?: Live; after: () => void } {
    const row = this.#journal.instance(position.instance)!;
    const restored = restore(this.#journal, row, position, this.#workflows.get(row.workflow), this.#rules);
    if (restored.kind === 'mismatch') return this.#startAfresh(row, restored.reason);
    if (restored.kind === 'unknown') {
      this.#journal.end(row.id, 'set-aside', this.#now(), null, restored.reason);
      return { after: () => this.#reports.setAside(row, restored.reason) };
    }
    const { live } = restored;
    live.write(this.#journal);
    this.#hold(live);
    return { live, after: () => undefined };
  }

  /** A history that the code can't continue is closed, before any side effect, and the work begins again from the truth. */
  #startAfresh(row: InstanceRow, reason: string): { after: () => void } {
    this.#journal.end(row.id, 'mismatched', this.#now(), null, reason);
    const start = this.#start({ workflow: row.workflow, key: row.key, group: row.grp, input: row.input });
    const after = () => {
      this.#reports.mismatched(row, start.epoch, reason);
      this.#started(start);
    };
    return { after };
  }

  // --- stepping -----------------------------------------------------------------------------------------------------

  /** Puts every open item of the current command where it belongs: the ready queue or the timers. */
  #arrange(live: Live, follows = false): void {
    if (live.end) {
      this.#ended(live);
      return;
    }
    for (let index = 0; index < live.items.length; index++) this.#arrangeItem(live, index, follows);
    this.#place(live);
  }

  #arrangeItem(live: Live, index: number, follows = false): void {
    const item = live.items[index]!;
    if (item.outcome || item.executing) return;
    const waits = live.command && outcomeWhenDue(live.command, live.leaf(index)) !== undefined;
    if (waits || item.due > this.#now()) {
      this.#heap.add(item.due, timed(live, index));
      return;
    }
    live.active++;
    this.#ready.push({ live, index, step: live.step, group: live.identity.group, kills: item.kills, follows });
  }

  /** The instance stands at another command than before: record it and go on from there. */
  #moved(live: Live, follows = false): void {
    this.#save(live);
    this.#arrange(live, follows);
  }

  #due({ row, serial, index, step }: Timed): void {
    const live = this.#hot.get(row);
    const item = live?.items[index];
    // The timer of a wait that ended early, of a step long past, or of an instance that is no longer in memory.
    if (live?.serial !== serial || live.end || live.step !== step || !item || item.outcome) return;
    if (!live.command || item.executing || item.due > this.#now()) return;
    const outcome = outcomeWhenDue(live.command, live.leaf(index));
    if (!outcome) {
      this.#arrangeItem(live, index);
      this.#place(live);
      return;
    }
    item.outcome = outcome;
    if (live.moveOn()) this.#moved(live);
  }

  #pump(): void {
    if (this.#state !== 'running') return;
    for (let entry = this.#ready.take(); entry; entry = this.#ready.take()) {
      const taken = entry;
      mark(taken);
      // The mark is on the disk before the activity runs: after a crash it tells which steps were executing.
      this.#save(taken.live, () => void this.#execute(taken));
    }
  }

  async #execute(entry: Entry): Promise<void> {
    const { live, index } = entry;
    const item = live.items[index]!;
    const leaf = live.leaf(index);
    if (this.#state === 'stopped' || !leaf || leaf.kind === 'sleep') return;
    if (live.replaced) {
      this.#release(entry);
      return;
    }
    if (this.#state === 'stopping') {
      item.executing = false;
      item.executions--;
      this.#save(live);
      this.#release(entry);
      return;
    }
    const began = this.#options.clock.monotonic();
    const answer = await this.#executions.run(live.id, leaf, item.executions);
    // Aborted by the end of the engine: the next process repeats it.
    if (this.#isStopped()) return;
    if (live.replaced) this.#release(entry);
    else this.#answered(entry, leaf, answer, this.#options.clock.monotonic() - began);
  }

  #answered(entry: Entry, leaf: Exclude<LeafCommand, { kind: 'sleep' }>, answer: Answer, milliseconds: number): void {
    const { live, index } = entry;
    const item = live.items[index]!;
    applyAnswer(leaf, item, answer, this.#now());
    const outcome = answer.ok ? 'ok' : item.outcome && !item.outcome.ok ? 'error' : 'retry';
    const step = { workflowId: live.id, activity: leaf.activity, execution: item.executions };
    this.#reports.executed(step, leaf.input, milliseconds, outcome, answer.ok ? undefined : answer.error);
    live.active--;
    if (live.moveOn()) this.#moved(live, true);
    else {
      this.#save(live);
      this.#arrangeItem(live, index);
      this.#place(live);
    }
    this.#release(entry);
  }

  #release(entry: Entry): void {
    this.#ready.release(entry);
    if (this.#ready.running === 0) this.#whenQuiet?.();
    this.#go();
  }

  #ended(live: Live): void {
    this.#place(live);
    const end = live.end!;
    const finish = () => {
      // It was counted when another took its place.
      if (live.replaced) return;
      this.#hot.drop(live);
      this.#reports.ended(live.identity.workflow, live.id, end.status, end.error);
      if (this.#cold.isBlocked) this.#go();
    };
    // One that ended in the very write that started or loaded it is on the disk already.
    if (live.endWritten) finish();
    else this.#save(live, finish);
  }

  // --- memory -------------------------------------------------------------------------------------------------------

  /** Keeps an instance in memory. Those that had to go for it are found again in the database when they are due. */
  #hold(live: Live): void {
    this.#cool(this.#hot.hold(live));
  }

  #place(live: Live): void {
    this.#cool(this.#hot.place(live));
  }

  #cool(lives: readonly Live[]): void {
    for (const { row } of lives) {
      this.#commits
        .enqueue(() => this.#journal.cool(row, this.#now()))
        // Not before the commit: whoever looked into the database until then did not see it.
        .then((wake) => {
          if (wake === undefined || this.#state !== 'running') return;
          this.#cold.wakesAt(wake);
          this.#alarm.by(this.#cold.at, this.#now());
        })
        .catch((error) => this.#broken(error));
    }
  }

  #takeUpColdWork(): void {
    const now = this.#now();
    const isRoomMade = this.#hot.takeRoomMade();
    if (this.#cold.isBlocked && isRoomMade) this.#cold.lookAgain();
    if (!this.#cold.isDue(now)) return;
    this.#cold.begin();
    this.#commits
      .enqueue(() =>
        this.#cold.take(
          now,
          (group) => this.#hot.hasRoom(group),
          (position) => this.#load(position),
        ),
      )
      .then((loaded) => {
        this.#cold.end(now, loaded.length);
        for (const { live, after } of loaded) {
          after();
          if (live) this.#arrange(live);
        }
        this.#reports.resumed(loaded.length);
        this.#go();
      })
      .catch((error) => this.#broken(error));
  }

  // --- time ---------------------------------------------------------------------------------------------------------

  /** Does everything that can be done now, and sets the alarm for what comes next. */
  #go(): void {
    if (this.#state !== 'running') return;
    const now = this.#now();
    for (let entry = this.#heap.takeDue(now); entry; entry = this.#heap.takeDue(now)) this.#due(entry.value);
    this.#takeUpColdWork();
    this.#sweep();
    this.#pump();
    this.#trimHeap();
    this.#alarm.by(Math.min(this.#heap.next, this.#cold.at, this.#sweepAt), now);
  }

  /** Timers of waits that ended early stay in the heap until their time; build it anew when they are the most of it. */
  #trimHeap(): void {
    if (this.#heap.size <= 100 + 4 * this.#hot.size) return;
    this.#heap.clear();
    for (const live of this.#hot.values()) {
      for (const [index, item] of live.items.entries()) {
        const queued = item.due <= this.#now() && live.command && !outcomeWhenDue(live.command, live.leaf(index));
        if (!item.outcome && !item.executing && !queued) this.#heap.add(item.due, timed(live, index));
      }
    }
  }

  /** Deletes histories whose time is over, a batch at a time. */
  #sweep(): void {
    const now = this.#now();
    if (this.#sweepAt > now) return;
    this.#sweepAt = Number.POSITIVE_INFINITY;
    this.#commits
      .enqueue(() => this.#journal.purge(now - this.#limits.retentionSeconds * 1000, sweepBatch))
      .then((purged) => {
        this.#reports.purged(purged);
        this.#sweepAt = purged.length === sweepBatch ? now : now + sweepEveryMs;
        this.#go();
      })
      .catch((error) => this.#broken(error));
  }

  /** Whole milliseconds: the journal keeps integers, and a clock may be finer than that. */
  #now(): number {
    return Math.floor(this.#options.clock.now());
  }

  // --- writing and failing ------------------------------------------------------------------------------------------

  /** Records the instance as it will stand when the group commits; all changes of one turn share one write. */
  #save(live: Live, then: () => void = () => undefined): void {
    live.pendingWrite ??= this.#commits.enqueue(() => {
      live.pendingWrite = undefined;
      live.write(this.#journal);
    });
    live.pendingWrite.then(then).catch((error) => this.#broken(error));
  }

  #read<T>(read: () => T): T {
    try {
      return this.#options.database.guard(read);
    } catch (error) {
      if (error instanceof StorageError) this.#die(error);
      throw error;
    }
  }

  /** A write of ours was refused although the store works: memory and journal differ, so nothing may go on. */
  #broken(error: unknown): void {
    if (error instanceof StorageError) this.#die(error);
    else {
      const file = this.#options.database.file;
      const problem = `the journal refused a write (${String(error)})`;
      this.#die(
        new StorageError(
          'io',
          file,
          problem,
          'Restart the host. If it happens again, report it with this text.',
          error,
        ),
      );
    }
  }

  #die(error: StorageError): void {
    if (this.#fatal) return;
    this.#fatal = error;
    this.#state = 'stopped';
    this.#alarm.cancel();
    this.#executions.abortAll();
    this.#whenQuiet?.();
    this.#reports.unusable(error);
    this.#options.onFatal?.(error);
  }

  // A method, because the state changes during an await and the compiler would narrow a plain comparison.
  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #quiet(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.after(withinMs, resolve);
      this.#whenQuiet = () => {
        cancel();
        resolve();
      };
    });
  }

  #find(id: string): InstanceRow | undefined {
    const parsed = parseId(id);
    return parsed && this.#journal.byKeyAndEpoch(parsed.key, parsed.epoch);
  }
}

/** Opens the engine on a journal and recovers from whatever ended the last process. Nothing runs before `run()`. */
export function openSqliteEngine(options: EngineOptions): SqliteEngine {
  return new SqliteEngine(options);
}
