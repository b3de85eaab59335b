/** The SQLite engine on a real file, with time moved by hand. Death is closing the file under the engine's feet. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Json } from '../../../shared/base/json.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { SqliteDatabase, StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import { openSqliteEngine, type SqliteEngine } from '../../../shared/workflow/sqlite/engine.ts';
import type { EngineLog, EngineOptions } from '../../../shared/workflow/sqlite/options.ts';
import { openJournal } from '../../../shared/workflow/sqlite/schema.ts';
import type { Workflow } from '../../../shared/workflow/vocabulary.ts';
import type { Harness, HarnessSetup, TestActivity } from './harness.ts';
import { type ManualTimers, manualTimers } from './manual-timers.ts';

export interface SqliteHarness extends Harness {
  readonly engine: SqliteEngine;
  readonly database: SqliteDatabase;
  readonly file: string;
  readonly logged: { level: string; fields: object; message: string }[];
  readonly fatal: StorageError[];
  advance(milliseconds: number): void;
  /** Lets the engine do what it can without moving time. */
  settle(): Promise<void>;
  /** Only the death: nothing comes after it. */
  kill(): void;
}

type Extra = Partial<Pick<EngineOptions, 'limits' | 'metrics' | 'activityDeadlineSeconds' | 'epochFloor'>>;

export async function makeSqliteHarness(setup: HarnessSetup & Extra): Promise<SqliteHarness> {
  const directory = mkdtempSync(join(tmpdir(), 'workflow-'));
  const file = join(directory, 'journal.db');
  const clock = manualClock();
  const crashes = new Map<number, 'before' | 'after'>();
  const logged: SqliteHarness['logged'] = [];
  const fatal: StorageError[] = [];
  const logAt = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message });
  const log: EngineLog = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
  let executions = 0;
  let dead = true;
  let workflows: readonly Workflow[] = setup.workflows;
  let database: SqliteDatabase;
  let engine: SqliteEngine;
  let timers: ManualTimers;

  const mortal =
    (activity: TestActivity): TestActivity =>
    async (input, context) => {
      const crash = crashes.get(executions++);
      const result = crash === 'before' ? null : await settled(activity(input, context));
      if (!crash) return unsettled(result);
      kill();
      return new Promise(() => undefined);
    };

  function kill(): void {
    dead = true;
    database.close();
  }

  function open(): void {
    dead = false;
    database = openJournal(file);
    timers = manualTimers(clock);
    const mine = database;
    engine = openSqliteEngine({
      ...setup,
      database,
      workflows,
      activities: Object.fromEntries(Object.entries(setup.activities).map(([name, run]) => [name, mortal(run)])),
      clock,
      timers,
      log,
      // A dead engine finds its file closed; that is no failure of the one that follows.
      onFatal: (error) => {
        if (!dead && database === mine) fatal.push(error);
      },
    });
    engine.run();
  }

  async function settle(): Promise<void> {
    let before = '';
    for (let unchanged = 0; unchanged < 4; ) {
      await turn();
      if (dead) open();
      const fired = timers.fireDue();
      const stats = engine.stats();
      const after = JSON.stringify(stats);
      unchanged = !fired && stats.pendingWrites === 0 && after === before ? unchanged + 1 : 0;
      before = after;
    }
  }

  const isRunning = () => Object.values(engine.stats().byWorkflow).some((counts) => (counts.running ?? 0) > 0);

  async function advanceTo(time: number): Promise<void> {
    clock.advance(Math.max(0, time - clock.now()));
    const failures = fatal.length;
    await settle();
    if (fatal.length > failures) throw fatal.at(-1);
  }

  open();
  return {
    get client() {
      return engine;
    },
    get engine() {
      return engine;
    },
    get database() {
      return database;
    },
    file,
    logged,
    fatal,
    now: () => clock.now(),
    advance: (milliseconds) => clock.advance(milliseconds),
    settle,
    kill,
    async runUntilIdle() {
      await settle();
      for (let rounds = 0; isRunning(); rounds++) {
        if (rounds > 10_000 || timers.next() === Number.POSITIVE_INFINITY)
          throw new Error('the engine does not come to rest');
        await advanceTo(timers.next());
      }
    },
    async runFor(seconds) {
      const until = clock.now() + seconds * 1000;
      await settle();
      while (timers.next() <= until) await advanceTo(timers.next());
      await advanceTo(until);
    },
    async restart(code) {
      workflows = code ?? workflows;
      if (!dead) kill();
      await settle();
    },
    crashAt: (execution, when) => void crashes.set(execution, when),
    async close() {
      await engine.stop({ finishRunning: false });
      database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Settled = { value: Json } | { error: unknown };

// A crash after the effect must also hide that the activity threw.
const settled = (promise: Promise<Json>): Promise<Settled> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

function unsettled(result: Settled | null): Json {
  if (result && 'value' in result) return result.value;
  throw result?.error;
}
