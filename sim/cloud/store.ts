/**
 * What the simulated cloud remembers, in SQLite. An answered request survives the death of the process: the answer waits
 * for the commit, and many requests share one. Memory holds the living; the ledger of the dead is only here.
 */
import {
  GroupCommit,
  openDatabase,
  type SqliteDatabase,
  type StorageError,
} from '../../shared/platforms/sqlite/sqlite.ts';
import { simulatedStorageError } from '../kit/storage-failure.ts';
import type { CreateInstance, InstanceRecord, NodeStage, Plan, WhyGone } from './instance.ts';

const schema = `
  create table instances (
    seq integer primary key,
    id text not null unique,
    request text not null,
    plan text not null,
    price real,
    token text,
    created_at integer not null,
    running_at integer,
    deleting_at integer,
    delete_due_at integer,
    gone_at integer,
    why_gone text,
    node_stage text not null
  ) strict;
  create index instances_living on instances (seq) where gone_at is null;
  create index instances_gone on instances (gone_at) where gone_at is not null;
  create table pending (id integer primary key, due_at integer not null, effect text not null) strict;
  create table notices (seq integer primary key, instance text not null, at integer not null, gone_at integer not null) strict;
  create table facts (name text primary key, value text not null) strict;
`;

/** Something that will be done although its caller has long gone. */
export type PendingEffect =
  | { do: 'create'; request: CreateInstance; plan: Omit<Plan, 'runningAt'> & { bootSeconds: number | null } }
  | { do: 'delete'; instance: string; ifTags: Record<string, string> };

interface Notice {
  seq: number;
  instance: string;
  at: number;
  goneAt: number;
}

interface Row {
  seq: number;
  id: string;
  request: string;
  plan: string;
  price: number | null;
  created_at: number;
  running_at: number | null;
  deleting_at: number | null;
  delete_due_at: number | null;
  gone_at: number | null;
  why_gone: string | null;
  node_stage: string;
}

export class CloudStore {
  readonly #database: SqliteDatabase;
  readonly #commits: GroupCommit;
  readonly #sql: ReturnType<typeof prepareAll>;

  constructor(file: string, onFatal: (error: StorageError) => void) {
    try {
      this.#database = openDatabase({ file, synchronous: 'NORMAL', migrations: [schema] });
    } catch (error) {
      throw simulatedStorageError(error, file, 'cloud');
    }
    this.#commits = new GroupCommit(this.#database, { onFatal });
    this.#sql = prepareAll(this.#database);
  }

  /** Writes the record as it is when the commit runs; resolves when it is durable. */
  insert(record: InstanceRecord): Promise<void> {
    return this.#write(() => {
      this.#sql.insert.run(
        record.seq,
        record.id,
        JSON.stringify(record.request),
        JSON.stringify(record.plan),
        record.price,
        record.request.token ?? null,
        record.createdAt,
        ...times(record),
      );
    });
  }

  update(record: InstanceRecord): Promise<void> {
    return this.#write(() => {
      this.#sql.update.run(JSON.stringify(record.plan), ...times(record), record.seq);
    });
  }

  /** What it was asked for is kept as it was, but for its tags. */
  updateTags(record: InstanceRecord): Promise<void> {
    return this.#write(() => {
      this.#sql.updateRequest.run(JSON.stringify(record.request), record.seq);
    });
  }

  addPending(id: number, dueAt: number, effect: PendingEffect): Promise<void> {
    return this.#write(() => {
      this.#sql.addPending.run(id, dueAt, JSON.stringify(effect));
    });
  }

  dropPending(id: number): Promise<void> {
    return this.#write(() => {
      this.#sql.dropPending.run(id);
    });
  }

  addNotice(notice: Notice): Promise<void> {
    return this.#write(() => {
      this.#sql.addNotice.run(notice.seq, notice.instance, notice.at, notice.goneAt);
    });
  }

  setFact(name: string, value: string): Promise<void> {
    return this.#write(() => {
      this.#sql.setFact.run(name, value);
    });
  }

  fact(name: string): string | undefined {
    const row = this.#database.guard(() => this.#sql.fact.get(name));
    return row === undefined ? undefined : String(row.value);
  }

  /** The living, and the dead whose Node does not yet know, or who died so lately that a lagging list still shows them. */
  loadRelevant(goneAfter: number): InstanceRecord[] {
    return this.#database.guard(() => rowsOf(this.#sql.relevant.all(goneAfter)).map(toRecord));
  }

  loadTokens(): { token: string; seq: number }[] {
    return this.#database.guard(() =>
      this.#sql.tokens.all().map((row) => ({ token: String(row.token), seq: Number(row.seq) })),
    );
  }

  loadPending(): { id: number; dueAt: number; effect: PendingEffect }[] {
    return this.#database.guard(() =>
      this.#sql.pending.all().map((row) => ({
        id: Number(row.id),
        dueAt: Number(row.due_at),
        effect: JSON.parse(String(row.effect)) as PendingEffect,
      })),
    );
  }

  highestSeq(): number {
    return Number(this.#database.guard(() => this.#sql.highest.get()?.seq ?? 0));
  }

  highestNotice(): number {
    return Number(this.#database.guard(() => this.#sql.highestNotice.get()?.seq ?? 0));
  }

  /** By its place in the ledger; sees what is not committed yet, too. */
  bySeq(seq: number): InstanceRecord | undefined {
    this.#commits.flush();
    const [row] = this.#database.guard(() => rowsOf(this.#sql.bySeq.all(seq)));
    return row && toRecord(row);
  }

  page(after: number, limit: number): InstanceRecord[] {
    this.#commits.flush();
    return this.#database.guard(() => rowsOf(this.#sql.page.all(after, limit)).map(toRecord));
  }

  noticesAfter(seq: number, limit: number): Notice[] {
    this.#commits.flush();
    return this.#database.guard(() =>
      this.#sql.notices.all(seq, limit).map((row) => ({
        seq: Number(row.seq),
        instance: String(row.instance),
        at: Number(row.at),
        goneAt: Number(row.gone_at),
      })),
    );
  }

  flush(): void {
    this.#commits.flush();
  }

  close(): void {
    this.#commits.flush();
    this.#database.close();
  }

  #write(write: () => void): Promise<void> {
    return this.#commits.enqueue(write);
  }
}

function prepareAll({ connection }: SqliteDatabase) {
  const prepare = (sql: string) => connection.prepare(sql);
  return {
    insert: prepare(
      `insert into instances (seq, id, request, plan, price, token, created_at,
         running_at, deleting_at, delete_due_at, gone_at, why_gone, node_stage)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateRequest: prepare('update instances set request = ? where seq = ?'),
    update: prepare(
      `update instances set plan = ?, running_at = ?, deleting_at = ?, delete_due_at = ?, gone_at = ?, why_gone = ?,
         node_stage = ? where seq = ?`,
    ),
    addPending: prepare('insert into pending values (?, ?, ?)'),
    dropPending: prepare('delete from pending where id = ?'),
    addNotice: prepare('insert into notices values (?, ?, ?, ?)'),
    setFact: prepare('insert or replace into facts values (?, ?)'),
    fact: prepare('select value from facts where name = ?'),
    relevant: prepare(
      `select * from instances where gone_at is null
       union all
       select * from instances where gone_at is not null and (gone_at > ? or node_stage not in ('none', 'ended'))
       order by seq`,
    ),
    tokens: prepare('select token, seq from instances where token is not null order by seq'),
    pending: prepare('select * from pending order by id'),
    highest: prepare('select max(seq) as seq from instances'),
    highestNotice: prepare('select max(seq) as seq from notices'),
    bySeq: prepare('select * from instances where seq = ?'),
    page: prepare('select * from instances where seq > ? order by seq limit ?'),
    notices: prepare('select * from notices where seq > ? order by seq limit ?'),
  };
}

const times = (record: InstanceRecord) =>
  [record.runningAt, record.deletingAt, record.deleteDueAt, record.goneAt, record.whyGone, record.nodeStage] as const;

/** The columns are declared strictly, so a row has the shape that the schema gives it. */
const rowsOf = (rows: object[]): Row[] => rows as Row[];

const toRecord = (row: Row): InstanceRecord => ({
  seq: row.seq,
  id: row.id,
  request: JSON.parse(row.request) as CreateInstance,
  plan: JSON.parse(row.plan) as Plan,
  price: row.price,
  createdAt: row.created_at,
  runningAt: row.running_at,
  deletingAt: row.deleting_at,
  deleteDueAt: row.delete_due_at,
  goneAt: row.gone_at,
  whyGone: row.why_gone as WhyGone | null,
  nodeStage: row.node_stage as NodeStage,
});
