/**
 * The task hub on disk: instances, their histories, and the messages on their way to orchestrations and activities.
 * On Azure this is a storage account; it outlives every process of the host.
 */
import { openDatabase, type SqliteDatabase } from '../../../../shared/platforms/sqlite/sqlite.ts';
import type { HistoryEvent, NewEvent } from './protocol.ts';

export type RuntimeStatus = 'Pending' | 'Running' | 'Completed' | 'Failed' | 'Terminated';

export interface Instance {
  id: string;
  name: string;
  /** Changes with every start and every continue-as-new; what was meant for another one is dropped. */
  execution: number;
  status: RuntimeStatus;
  /** JSON texts. */
  input: string | null;
  output: string | null;
  custom: string | null;
  created: number;
  updated: number;
  /** The orchestration that waits for this one, and the number under which it does. */
  parent: string | null;
  parentExecution: number | null;
  parentTask: number | null;
}

export interface ActivityCall {
  taskId: number;
  name: string;
  /** JSON text. */
  input: string;
}

export type Message = { seq: number; instance: string; execution: number | null; due: number } & (
  | { kind: 'orchestration'; event: NewEvent }
  | { kind: 'activity'; call: ActivityCall }
);

const schema = `
create table instances (
  id text primary key, name text not null, execution integer not null, status text not null,
  input text, output text, custom text, created integer not null, updated integer not null,
  parent text, parentExecution integer, parentTask integer
) strict;
create table history (instance text not null, seq integer not null, event text not null,
  primary key (instance, seq)) strict, without rowid;
create table messages (
  seq integer primary key autoincrement, kind text not null, instance text not null, execution integer,
  due integer not null, body text not null
) strict;
create index messages_due on messages (due, seq);
create index messages_instance on messages (instance, seq);
create table counters (name text primary key, value integer not null) strict;
`;

interface MessageRow {
  seq: number;
  kind: string;
  instance: string;
  execution: number | null;
  due: number;
  body: string;
}

export class HubStore {
  readonly #database: SqliteDatabase;

  constructor(file: string) {
    this.#database = openDatabase({ file, synchronous: 'NORMAL', migrations: [schema], check: file !== ':memory:' });
  }

  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  close(): void {
    this.#database.close();
  }

  instance(id: string): Instance | undefined {
    const row = this.#get('select * from instances where id = ?', id);
    return row as Instance | undefined;
  }

  save(instance: Instance): void {
    const columns = Object.keys(instance);
    const places = columns.map(() => '?').join(', ');
    this.#run(
      `insert or replace into instances (${columns.join(', ')}) values (${places})`,
      ...(Object.values(instance) as (string | number | null)[]),
    );
  }

  nextExecution(): number {
    const row = this.#get(
      "insert into counters values ('execution', 1) on conflict do update set value = value + 1 returning value",
    );
    return (row as { value: number }).value;
  }

  /** Forgets an instance with everything that is on its way to it. */
  remove(id: string): void {
    this.#run('delete from instances where id = ?', id);
    this.clear(id);
  }

  /** Forgets the history and the messages, not the instance. */
  clear(id: string): void {
    this.#run('delete from history where instance = ?', id);
    this.#run('delete from messages where instance = ?', id);
  }

  history(id: string): HistoryEvent[] {
    const rows = this.#all('select event from history where instance = ? order by seq', id) as { event: string }[];
    return rows.map((row) => JSON.parse(row.event) as HistoryEvent);
  }

  append(id: string, events: readonly HistoryEvent[]): void {
    const { next } = this.#get('select coalesce(max(seq) + 1, 0) as next from history where instance = ?', id) as {
      next: number;
    };
    for (const [offset, event] of events.entries()) {
      this.#run('insert into history values (?, ?, ?)', id, next + offset, JSON.stringify(event));
    }
  }

  sendEvent(instance: string, execution: number | null, event: NewEvent, due: number): void {
    this.#send('orchestration', instance, execution, due, event);
  }

  sendCall(instance: string, execution: number, call: ActivityCall, due: number): void {
    this.#send('activity', instance, execution, due, call);
  }

  due(now: number): Message[] {
    const rows = this.#all('select * from messages where due <= ? order by due, seq limit 500', now);
    return (rows as MessageRow[]).map(toMessage);
  }

  dueFor(instance: string, now: number): Message[] {
    const rows = this.#all(
      "select * from messages where instance = ? and kind = 'orchestration' and due <= ? order by due, seq",
      instance,
      now,
    );
    return (rows as MessageRow[]).map(toMessage);
  }

  /** When the first message is due. */
  nextDue(): number {
    const { next } = this.#get('select min(due) as next from messages') as { next: number | null };
    return next ?? Number.POSITIVE_INFINITY;
  }

  has(message: Message): boolean {
    return this.#get('select 1 from messages where seq = ?', message.seq) !== undefined;
  }

  consume(messages: readonly { seq: number }[]): void {
    for (const { seq } of messages) this.#run('delete from messages where seq = ?', seq);
  }

  postpone(message: Message, due: number): void {
    this.#run('update messages set due = ? where seq = ?', due, message.seq);
  }

  /** In the order of their ids; the page after `after`. */
  list(after: string, limit: number): Instance[] {
    return this.#all('select * from instances where id > ? order by id limit ?', after, limit) as Instance[];
  }

  countRunning(): number {
    const row = this.#get("select count(*) as n from instances where status in ('Pending', 'Running')");
    return (row as { n: number }).n;
  }

  #send(kind: Message['kind'], instance: string, execution: number | null, due: number, body: object): void {
    this.#run(
      'insert into messages (kind, instance, execution, due, body) values (?, ?, ?, ?, ?)',
      kind,
      instance,
      execution,
      Math.ceil(due),
      JSON.stringify(body),
    );
  }

  readonly #statements = new Map<string, ReturnType<SqliteDatabase['connection']['prepare']>>();

  #statement(sql: string) {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#statement(sql).run(...values);
  }

  #get(sql: string, ...values: (string | number | null)[]): unknown {
    return this.#statement(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number | null)[]): unknown[] {
    return this.#statement(sql).all(...values);
  }
}

function toMessage({ kind, body, ...rest }: MessageRow): Message {
  return kind === 'activity'
    ? { ...rest, kind: 'activity', call: JSON.parse(body) as ActivityCall }
    : { ...rest, kind: 'orchestration', event: JSON.parse(body) as NewEvent };
}
