/** Every statement on the journal's tables, and the shapes of its rows. Writes run inside the caller's transaction. */

import type { StatementSync } from 'node:sqlite';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { type SqliteDatabase, StorageError } from '../../platforms/sqlite/sqlite.ts';
import type { WorkflowStatus } from '../contract.ts';
import type { Outcome } from '../thread.ts';

export interface InstanceRow {
  id: number;
  key: string;
  epoch: number;
  workflow: string;
  version: number;
  grp: string;
  input: string;
  status: WorkflowStatus;
  started_at: number;
  ended_at: number | null;
  result: string | null;
  error: string | null;
}

export interface PositionRow {
  instance: number;
  grp: string;
  step: number;
  current: string | null;
  items: string | null;
  signal: string | null;
  due: number;
  executing: number;
  wake: number | null;
}

export interface JournalRow {
  step: number;
  command: string;
  outcome: Outcome;
  at: number;
}

export interface NewInstance {
  key: string;
  epoch: number;
  workflow: string;
  version: number;
  group: string;
  /** As JSON. */
  input: string;
  startedAt: number;
}

/** Where a running instance stands; `wake` is null while it is held in memory. */
export interface Position {
  step: number;
  current: string | null;
  items: string | null;
  signal: string | null;
  due: number;
  executing: number;
  wake: number | null;
}

const instanceColumns =
  'id, key, epoch, workflow, version, grp, input, status, started_at, ended_at, result, error' as const;

export class Journal {
  readonly database: SqliteDatabase;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  // --- starting -----------------------------------------------------------------------------------------------------

  insertInstance(row: NewInstance): number {
    const sql =
      "insert into instance (key, epoch, workflow, version, grp, input, status, started_at) values (?, ?, ?, ?, ?, ?, 'running', ?)";
    const { key, epoch, workflow, version, group, input, startedAt } = row;
    return Number(this.#run(sql, key, epoch, workflow, version, group, input, startedAt).lastInsertRowid);
  }

  insertPosition(instance: number, group: string, position: Position): void {
    const sql =
      'insert into position (instance, grp, step, current, items, signal, due, executing, wake) values (?, ?, ?, ?, ?, ?, ?, ?, ?)';
    const { step, current, items, signal, due, executing, wake } = position;
    this.#run(sql, instance, group, step, current, items, signal, Math.round(due), executing, wake);
  }

  /** An epoch that no instance of this key ever had. */
  unusedEpoch(key: string, above = 0): number {
    return Math.max(this.newest(key)?.epoch ?? 0, this.epochFloor() ?? 0, above) + 1;
  }

  epochFloor(): number | undefined {
    return this.#one<{ value: number }>("select value from counter where name = 'epoch-floor'")?.value;
  }

  raiseEpochFloor(to: number): void {
    this.#run(
      "insert into counter (name, value) values ('epoch-floor', ?) on conflict (name) do update set value = max(value, excluded.value)",
      to,
    );
  }

  // --- stepping -----------------------------------------------------------------------------------------------------

  insertStep(instance: number, row: JournalRow): void {
    const { step, command, outcome, at } = row;
    const value = outcome.ok
      ? outcome.value === undefined
        ? null
        : JSON.stringify(outcome.value)
      : JSON.stringify(outcome.error);
    this.#run(
      'insert into journal (instance, step, command, ok, value, at) values (?, ?, ?, ?, ?, ?)',
      instance,
      step,
      command,
      outcome.ok ? 1 : 0,
      value,
      at,
    );
  }

  updatePosition(instance: number, position: Position): void {
    const { step, current, items, signal, due, executing, wake } = position;
    this.#run(
      'update position set step = ?, current = ?, items = ?, signal = ?, due = ?, executing = ?, wake = ? where instance = ?',
      step,
      current,
      items,
      signal,
      Math.round(due),
      executing,
      wake,
      instance,
    );
  }

  end(instance: number, status: WorkflowStatus, at: number, result: string | null, error: string | null): void {
    this.#run(
      'update instance set status = ?, ended_at = ?, result = ?, error = ? where id = ?',
      status,
      at,
      result,
      error,
      instance,
    );
    this.#run('delete from position where instance = ?', instance);
    this.#run('delete from mailbox where instance = ?', instance);
  }

  // --- signals ------------------------------------------------------------------------------------------------------

  /** True when the signal is new: a second one before the first is taken is the same hint. */
  putSignal(instance: number, name: string, at: number): boolean {
    const put = this.#run('insert or ignore into mailbox (instance, name, at) values (?, ?, ?)', instance, name, at);
    if (put.changes === 0) return false;
    // A cold instance that waits for it is due now.
    this.#run(
      'update position set wake = ? where instance = ? and wake is not null and signal = ?',
      at,
      instance,
      name,
    );
    return true;
  }

  takeSignal(instance: number, name: string): void {
    this.#run('delete from mailbox where instance = ? and name = ?', instance, name);
  }

  signals(instance: number): string[] {
    return this.#all<{ name: string }>('select name from mailbox where instance = ? order by at, name', instance).map(
      (row) => row.name,
    );
  }

  // --- cold instances -----------------------------------------------------------------------------------------------

  /**
   * Puts a running instance out of memory: it wakes when it is due, or now if its signal has come meanwhile.
   * Returns when that is, if it still runs.
   */
  cool(instance: number, now: number): number | undefined {
    const cooled = this.#one<{ wake: number }>(
      `update position set wake = case
         when exists (select 1 from mailbox m where m.instance = position.instance and m.name = position.signal) then ?
         else due end
       where instance = ? returning wake`,
      now,
      instance,
    );
    return cooled?.wake;
  }

  /** After a restart everything is cold. */
  coolAll(now: number): void {
    this.#run(
      `update position set wake = case
         when exists (select 1 from mailbox m where m.instance = position.instance and m.name = position.signal) then ?
         else due end
       where wake is null`,
      now,
    );
  }

  /** The groups that have cold instances, and when the first of each wakes. Skips from group to group in the index. */
  coldGroups(): { grp: string; wake: number }[] {
    return this.#all(
      `with recursive g (grp) as (
         select min(grp) from position where wake is not null
         union all
         select (select min(grp) from position where wake is not null and grp > g.grp) from g where g.grp is not null)
       select grp, (select min(wake) from position p where p.grp = g.grp and p.wake is not null) as wake
       from g where grp is not null`,
    );
  }

  coldDue(group: string, now: number, limit: number): PositionRow[] {
    return this.#all(
      'select * from position where grp = ? and wake is not null and wake <= ? order by wake, instance limit ?',
      group,
      now,
      limit,
    );
  }

  /** What the last process was executing when it ended. */
  executing(): PositionRow[] {
    return this.#all('select * from position where wake is null and executing > 0 order by instance');
  }

  // --- reading ------------------------------------------------------------------------------------------------------

  newest(key: string): InstanceRow | undefined {
    return this.#one(`select ${instanceColumns} from instance where key = ? order by epoch desc limit 1`, key);
  }

  instance(id: number): InstanceRow | undefined {
    return this.#one(`select ${instanceColumns} from instance where id = ?`, id);
  }

  byKeyAndEpoch(key: string, epoch: number): InstanceRow | undefined {
    return this.#one(`select ${instanceColumns} from instance where key = ? and epoch = ?`, key, epoch);
  }

  page(status: WorkflowStatus | undefined, after: number, limit: number): InstanceRow[] {
    return status === undefined
      ? this.#all(`select ${instanceColumns} from instance where id > ? order by id limit ?`, after, limit)
      : this.#all(
          `select ${instanceColumns} from instance where status = ? and id > ? order by id limit ?`,
          status,
          after,
          limit,
        );
  }

  position(instance: number): PositionRow | undefined {
    return this.#one('select * from position where instance = ?', instance);
  }

  steps(instance: number): JournalRow[] {
    type Row = { step: number; command: string; ok: number; value: string | null; at: number };
    return this.#all<Row>(
      'select step, command, ok, value, at from journal where instance = ? order by step',
      instance,
    ).map(({ step, command, ok, value, at }) => {
      const parsed = value === null ? undefined : this.parse<Json>(value);
      const outcome: Outcome =
        ok === 1 ? { ok: true, ...defined({ value: parsed }) } : { ok: false, error: `${parsed}` };
      return { step, command, outcome, at };
    });
  }

  counts(): { workflow: string; status: WorkflowStatus; n: number }[] {
    return this.#all('select workflow, status, count(*) as n from instance group by workflow, status');
  }

  // --- retention ----------------------------------------------------------------------------------------------------

  /** Deletes some histories that ended before a time; returns what they were. */
  purge(endedBefore: number, limit: number): InstanceRow[] {
    const rows = this.#all<InstanceRow>(
      `select ${instanceColumns} from instance where ended_at is not null and ended_at < ? order by ended_at limit ?`,
      endedBefore,
      limit,
    );
    for (const { id, epoch } of rows) {
      this.#run('delete from journal where instance = ?', id);
      this.#run('delete from instance where id = ?', id);
      if (epoch > (this.epochFloor() ?? 0)) this.raiseEpochFloor(epoch);
    }
    return rows;
  }

  /** JSON that this engine has written itself: if it can't be read, the file is damaged. */
  parse<T>(text: string): T {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new StorageError(
        'corrupt',
        this.database.file,
        'the journal contains an unreadable value',
        'Keep a copy of the file, then restore it from a backup or move it away; without it, the host recovers its work from the claims.',
        error,
      );
    }
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...values: (string | number | null)[]) {
    return this.#prepared(sql).run(...values);
  }

  #one<T>(sql: string, ...values: (string | number | null)[]): T | undefined {
    return this.#prepared(sql).get(...values) as T | undefined;
  }

  #all<T>(sql: string, ...values: (string | number | null)[]): T[] {
    return this.#prepared(sql).all(...values) as T[];
  }
}
