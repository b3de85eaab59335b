/** The durable executions on disk, with their operations and histories, and invocations that wait for their turn. */
import { openDatabase, type SqliteDatabase } from '../../../shared/platforms/sqlite/sqlite.ts';
import type { ErrorObject, Operation } from './operation.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'STOPPED';

export interface Execution {
  arn: string;
  name: string;
  function: string;
  version: string;
  input: string;
  status: ExecutionStatus;
  result: string | null;
  error: string | null;
  started: number;
  ended: number | null;
  deadline: number;
  /** When its function is to be invoked; null while it waits for something else. */
  wake: number | null;
  /** Grows with every invocation and every checkpoint: the token is made of it. */
  token: number;
  /** The token that the last checkpoint was sent with, and by which client token: a repeated one gets the same answer. */
  lastToken: number;
  lastClientToken: string | null;
  /** Invocations in a row that ended with an error. */
  failures: number;
  invocations: number;
  checkpoints: number;
}

export interface HistoryEvent {
  EventType: string;
  EventId: number;
  at: number;
  Id?: string;
  Name?: string;
  SubType?: string;
  /** What it says beside that, under the name of its own kind. */
  details: Record<string, unknown>;
}

export interface QueuedInvocation {
  seq: number;
  function: string;
  payload: string;
  due: number;
  attempt: number;
}

const schema = `
create table executions (
  arn text primary key, name text not null, function text not null, version text not null, input text not null,
  status text not null, result text, error text, started integer not null, ended integer, deadline integer not null,
  wake integer, token integer not null, lastToken integer not null, lastClientToken text,
  failures integer not null, invocations integer not null, checkpoints integer not null
) strict;
create unique index executions_name on executions (name);
create index executions_wake on executions (wake) where wake is not null;
create index executions_deadline on executions (deadline) where status = 'RUNNING';
create table operations (
  execution text not null, id text not null, seq integer not null, changed integer not null, due integer, body text not null,
  primary key (execution, id)
) strict, without rowid;
create index operations_due on operations (due) where due is not null;
create table events (execution text not null, id integer not null, body text not null,
  primary key (execution, id)) strict, without rowid;
create table invocations (
  seq integer primary key autoincrement, function text not null, payload text not null, due integer not null,
  attempt integer not null
) strict;
`;

type Value = string | number | null;

export class LambdaStore {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, ReturnType<SqliteDatabase['connection']['prepare']>>();

  constructor(file: string) {
    this.#database = openDatabase({ file, synchronous: 'NORMAL', migrations: [schema], check: file !== ':memory:' });
  }

  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  close(): void {
    this.#database.close();
  }

  // --- executions ---------------------------------------------------------------------------------------------------

  execution(arn: string): Execution | undefined {
    return this.#get('select * from executions where arn = ?', arn) as Execution | undefined;
  }

  named(functionName: string, name: string): Execution | undefined {
    const row = this.#get('select * from executions where function = ? and name = ?', functionName, name);
    return row as Execution | undefined;
  }

  /** Of whatever function: names are one for all of an account and region. */
  holderOf(name: string): Execution | undefined {
    return this.#get('select * from executions where name = ?', name) as Execution | undefined;
  }

  save(execution: Execution): void {
    const columns = Object.keys(execution);
    const places = columns.map(() => '?').join(', ');
    this.#run(
      `insert or replace into executions (${columns.join(', ')}) values (${places})`,
      ...(Object.values(execution) as Value[]),
    );
  }

  /** In the order of their start. */
  list(functionName: string): Execution[] {
    const rows = this.#all('select * from executions where function = ? order by started, arn', functionName);
    return rows as Execution[];
  }

  toWake(now: number): Execution[] {
    const sql = "select * from executions where wake <= ? and status = 'RUNNING' order by wake, started, arn limit 500";
    return this.#all(sql, now) as Execution[];
  }

  overdue(now: number): Execution[] {
    return this.#all("select * from executions where deadline <= ? and status = 'RUNNING'", now) as Execution[];
  }

  countRunning(): number {
    return (this.#get("select count(*) as n from executions where status = 'RUNNING'") as { n: number }).n;
  }

  // --- operations ---------------------------------------------------------------------------------------------------

  operation(execution: string, id: string): Operation | undefined {
    const row = this.#get('select body from operations where execution = ? and id = ?', execution, id);
    return row === undefined ? undefined : (JSON.parse((row as { body: string }).body) as Operation);
  }

  /** @param changed The token of the moment: a checkpoint is told of whatever changed after its own. */
  saveOperation(execution: string, operation: Operation, changed: number): void {
    this.#run(
      `insert into operations values (?1, ?2, (select count(*) from operations where execution = ?1), ?3, ?4, ?5)
       on conflict do update set changed = ?3, due = ?4, body = ?5`,
      execution,
      operation.id,
      changed,
      operation.due ?? null,
      JSON.stringify(operation),
    );
  }

  /** In the order in which they were begun. */
  operations(execution: string, changedAfter = -1): Operation[] {
    const sql = 'select body from operations where execution = ? and changed > ? order by seq';
    const rows = this.#all(sql, execution, changedAfter) as { body: string }[];
    return rows.map(({ body }) => JSON.parse(body) as Operation);
  }

  dueOperations(now: number): { execution: string; operation: Operation }[] {
    const sql = `select o.execution, o.body from operations o join executions e on e.arn = o.execution
      where o.due <= ? and e.status = 'RUNNING' order by o.due, o.seq limit 500`;
    const rows = this.#all(sql, now) as { execution: string; body: string }[];
    return rows.map(({ execution, body }) => ({ execution, operation: JSON.parse(body) as Operation }));
  }

  // --- histories ----------------------------------------------------------------------------------------------------

  addEvent(execution: string, event: Omit<HistoryEvent, 'EventId'>): void {
    const row = this.#get('select coalesce(max(id), 0) + 1 as next from events where execution = ?', execution);
    const { next } = row as { next: number };
    this.#run('insert into events values (?, ?, ?)', execution, next, JSON.stringify({ ...event, EventId: next }));
  }

  events(execution: string): HistoryEvent[] {
    const rows = this.#all('select body from events where execution = ? order by id', execution) as { body: string }[];
    return rows.map(({ body }) => JSON.parse(body) as HistoryEvent);
  }

  // --- invocations without an answer --------------------------------------------------------------------------------

  enqueue(functionName: string, payload: string, due: number): void {
    const sql = 'insert into invocations (function, payload, due, attempt) values (?, ?, ?, 1)';
    this.#run(sql, functionName, payload, due);
  }

  dueInvocations(now: number): QueuedInvocation[] {
    const sql = 'select * from invocations where due <= ? order by due, seq limit 500';
    return this.#all(sql, now) as QueuedInvocation[];
  }

  postpone({ seq, attempt }: QueuedInvocation, due: number): void {
    this.#run('update invocations set due = ?, attempt = ? where seq = ?', due, attempt + 1, seq);
  }

  removeInvocation(seq: number): void {
    this.#run('delete from invocations where seq = ?', seq);
  }

  /** When the first of all these is due. */
  nextDue(): number {
    const sql = `select min(at) as next from (
      select min(wake) as at from executions where wake is not null and status = 'RUNNING'
      union all select min(deadline) from executions where status = 'RUNNING'
      union all select min(o.due) from operations o join executions e on e.arn = o.execution
        where o.due is not null and e.status = 'RUNNING'
      union all select min(due) from invocations)`;
    return (this.#get(sql) as { next: number | null }).next ?? Number.POSITIVE_INFINITY;
  }

  #statement(sql: string) {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...values: Value[]): void {
    this.#statement(sql).run(...values);
  }

  #get(sql: string, ...values: Value[]): unknown {
    return this.#statement(sql).get(...values);
  }

  #all(sql: string, ...values: Value[]): unknown[] {
    return this.#statement(sql).all(...values);
  }
}

export const errorText = (error: ErrorObject | undefined): string | null =>
  error === undefined ? null : JSON.stringify(error);
