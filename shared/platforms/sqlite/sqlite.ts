/**
 * SQLite as every local driver uses it: a durable file with a checked schema, storage failures as one typed error that
 * tells a person what to do, and commits that many callers share.
 *
 * One file belongs to one driver (the journal, the queue, the state), because each has its own schema version.
 *
 * @example
 * const database = openDatabase({ file: 'queue.db', synchronous: 'NORMAL', migrations: ['create table q (…) strict'] });
 * const commits = new GroupCommit(database, { onFatal: (error) => stopTheHost(error) });
 * const insert = database.connection.prepare('insert into q values (?)');
 * await commits.enqueue(() => insert.run('hello')); // durable when it resolves
 * const row = database.guard(() => database.connection.prepare('select …').get());
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LinkRefused, makePrivate } from '../../base/private-file.ts';
import { WalSync } from './wal-sync.ts';

export type StorageFailure = 'full' | 'corrupt' | 'locked' | 'io' | 'newer-schema';

/** The store itself is unusable. Nothing may go on as if a write had happened; the host stops and shows the message. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageFailure;
  readonly file: string;
  readonly problem: string;
  readonly whatToDo: string;

  constructor(kind: StorageFailure, file: string, problem: string, whatToDo: string, cause?: unknown) {
    super(`${file}: ${problem}. ${whatToDo}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.file = file;
    this.problem = problem;
    this.whatToDo = whatToDo;
  }
}

const primaryCodes: Record<number, { kind: StorageFailure; problem: string; whatToDo: string }> = {
  5: {
    kind: 'locked',
    problem: 'another process holds the database',
    whatToDo: 'Stop the other process that uses this data directory, then start again.',
  },
  8: {
    kind: 'io',
    problem: 'the database is read-only',
    whatToDo: 'Make the file and its directory writable for this user, then restart.',
  },
  10: {
    kind: 'io',
    problem: 'the disk failed to read or write',
    whatToDo: 'Check the disk and the system log, then restart: nothing that was acknowledged is lost.',
  },
  11: {
    kind: 'corrupt',
    problem: 'the database is damaged',
    whatToDo:
      'Copy the file, then restore it from a backup or move it away; without it, Poolwright continues from the claims in the cluster.',
  },
  13: {
    kind: 'full',
    problem: 'the disk is full',
    whatToDo: 'Free some space on the disk that holds this file, then restart: nothing that was acknowledged is lost.',
  },
  14: {
    kind: 'io',
    problem: 'the database cannot be opened',
    whatToDo: 'Check that the directory exists and that this user may write to it.',
  },
  26: {
    kind: 'corrupt',
    problem: 'the file is not a SQLite database',
    whatToDo: 'Move the file away, or pass another data directory, then restart.',
  },
};
// SQLITE_LOCKED differs from SQLITE_BUSY only in who holds the lock.
const lockedByOurselves = 6;

/**
 * The storage error behind something thrown by node:sqlite, or undefined when the error is about the statement
 * (a constraint, bad SQL) or does not come from SQLite at all.
 */
export function toStorageError(error: unknown, file: string): StorageError | undefined {
  if (error instanceof StorageError) return error;
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  // Extended codes carry the primary one in their low byte.
  const primary = error.errcode & 0xff;
  const known = primaryCodes[primary === lockedByOurselves ? 5 : primary];
  return known && new StorageError(known.kind, file, `${known.problem} (${error.message})`, known.whatToDo, error);
}

export interface DatabaseOptions {
  /** A path, or ':memory:'. */
  file: string;
  /**
   * FULL survives a power cut, NORMAL survives the death of the process only; neither can be corrupted by either. BACKGROUND is FULL for
   * what goes through a {@link GroupCommit}, which then waits for the disk without blocking the thread, and NORMAL for everything else.
   */
  synchronous: 'FULL' | 'NORMAL' | 'BACKGROUND';
  /** SQL scripts, applied in order, each once and in its own transaction. Append only: a shipped one never changes. */
  migrations: readonly string[];
  /** How long a statement waits for another process's lock. It blocks the thread, so keep it short. */
  busyTimeoutMs?: number;
  /** Looks through the whole file for damage when it is opened (default true). */
  check?: boolean;
}

/** An open database. Statements are prepared on `connection`; reads see every commit made so far. */
export class SqliteDatabase {
  readonly file: string;
  readonly connection: DatabaseSync;
  /** Commits of groups reach the disk in the background. */
  readonly #inBackground: boolean;
  readonly #walSyncs: WalSync[] = [];

  constructor(file: string, connection: DatabaseSync, inBackground = false) {
    this.file = file;
    this.connection = connection;
    this.#inBackground = inBackground && file !== ':memory:';
  }

  /** For a group commit: what it waits for after each commit, if for anything. */
  walSync(onError: (error: unknown) => void): WalSync | undefined {
    if (!this.#inBackground) return undefined;
    const walSync = new WalSync(this.file, onError);
    this.#walSyncs.push(walSync);
    return walSync;
  }

  /** Runs something on the connection and turns a storage failure into a {@link StorageError}. Other errors pass through. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toStorageError(error, this.file) ?? error;
    }
  }

  /** All or nothing, at once and on its own. Many small writes belong in a {@link GroupCommit} instead. */
  transaction<T>(work: () => T): T {
    return this.guard(() => {
      this.connection.exec('begin immediate');
      try {
        const result = work();
        this.connection.exec('commit');
        return result;
      } catch (error) {
        this.rollback();
        throw error;
      }
    });
  }

  /** SQLite has already rolled back by itself after a full disk or an I/O error. */
  rollback(): void {
    if (this.connection.isTransaction) this.connection.exec('rollback');
  }

  close(): void {
    for (const walSync of this.#walSyncs) walSync.close();
    if (this.connection.isOpen) this.connection.close();
  }
}

/**
 * A checkpoint waits for the disk twice and holds up the thread meanwhile. SQLite makes one after every 1,000 pages of 4 kB; with four times as many
 * in the log, most pages have changed several times and are written once.
 */
const checkpointPages = 4000;

/** Opens (or creates) a database, checks it and brings its schema up to date. Throws {@link StorageError}. */
export function openDatabase(options: DatabaseOptions): SqliteDatabase {
  const { file } = options;
  let database: SqliteDatabase | undefined;
  try {
    const inBackground = options.synchronous === 'BACKGROUND';
    if (file !== ':memory:') makePrivate(file);
    database = new SqliteDatabase(file, new DatabaseSync(file), inBackground);
    const { connection } = database;
    connection.exec(`pragma busy_timeout = ${options.busyTimeoutMs ?? 5000}`);
    connection.exec('pragma journal_mode = wal');
    connection.exec(`pragma synchronous = ${inBackground ? 'NORMAL' : options.synchronous}`);
    // Savepoints of large groups spill to temporary files otherwise; the log is cut back after a burst.
    connection.exec('pragma temp_store = memory');
    connection.exec('pragma journal_size_limit = 67108864');
    connection.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
    if (options.check ?? true) checkIntegrity(database);
    migrate(database, options.migrations);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof LinkRefused)
      throw new StorageError('io', file, 'it is a symbolic link, which Poolwright does not follow', 'Delete the link.');
    throw toStorageError(error, file) ?? error;
  }
}

function checkIntegrity(database: SqliteDatabase): void {
  const first = Object.values(database.connection.prepare('pragma quick_check(1)').get() ?? {})[0];
  if (first === 'ok') return;
  const { kind, problem, whatToDo } = primaryCodes[11]!;
  // SQLite reports over several lines; a message is one.
  const found = String(first).replace(/\s+/g, ' ');
  throw new StorageError(kind, database.file, `${problem} (${found})`, whatToDo);
}

/** The schema version that the file has: how many migrations it has seen. */
export function schemaVersion(database: SqliteDatabase): number {
  return Number(database.connection.prepare('pragma user_version').get()?.user_version ?? 0);
}

function migrate(database: SqliteDatabase, migrations: readonly string[]): void {
  const found = schemaVersion(database);
  if (found > migrations.length) {
    throw new StorageError(
      'newer-schema',
      database.file,
      `it was written by a newer version of Poolwright (schema ${found}, this version knows ${migrations.length})`,
      'Start the newer version again, or pass another data directory.',
    );
  }
  for (const [index, script] of migrations.entries()) {
    if (index < found) continue;
    database.transaction(() => {
      // Another process may have applied it while this one waited for the lock.
      if (schemaVersion(database) > index) return;
      database.connection.exec(script);
      database.connection.exec(`pragma user_version = ${index + 1}`);
    });
  }
}

export interface GroupCommitOptions {
  /** Called once, with the failure after which no further write is taken. */
  onFatal?: (error: StorageError) => void;
  /** No group is larger; a full one is committed without waiting for the end of the turn. Default 512. */
  maxGroup?: number;
  /** When a group that was begun is committed: by default at the end of this turn of the event loop. */
  schedule?: (flush: () => void) => void;
}

interface PendingWrite {
  /** Runs the closure; returns how to tell its caller after the commit. */
  run(): () => void;
  reject(error: unknown): void;
}

/**
 * Lets many callers share one commit (and its fsync). Closures run in the order they came, each exactly once, in one
 * transaction; every caller is told after the commit. A closure must be synchronous and should do nothing but SQL: what
 * it changes elsewhere is not undone when the commit fails. It sees the writes of its neighbors before it.
 */
/** A disk that hesitates once must not hold everybody up twice. */
const longestPauseMs = 5;

export class GroupCommit {
  readonly #database: SqliteDatabase;
  readonly #options: GroupCommitOptions;
  readonly #maxGroup: number;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #undo: StatementSync;
  #pending: PendingWrite[] = [];
  #scheduled = false;
  #flushing = false;
  #fatal: StorageError | undefined;
  #commits = 0;
  #writes = 0;
  #committedAt = 0;
  #lastCommitMs = 0;
  readonly #walSync: WalSync | undefined;

  constructor(database: SqliteDatabase, options: GroupCommitOptions = {}) {
    this.#database = database;
    this.#options = options;
    this.#maxGroup = options.maxGroup ?? 512;
    const prepare = (sql: string) => database.connection.prepare(sql);
    this.#begin = prepare('begin immediate');
    this.#end = prepare('commit');
    this.#savepoint = prepare('savepoint one');
    this.#release = prepare('release one');
    this.#undo = prepare('rollback to one');
    this.#walSync = database.walSync((error) => this.#fail(error, []));
  }

  /** How many commits were made, and how many writes they carried. */
  get counts(): { commits: number; writes: number } {
    return { commits: this.#commits, writes: this.#writes };
  }

  /** Writes that wait for their commit. */
  get pending(): number {
    return this.#pending.length + (this.#walSync?.waiting ?? 0);
  }

  /** The failure that ended it, if any. */
  get fatal(): StorageError | undefined {
    return this.#fatal;
  }

  /**
   * Resolves with the closure's result when it is durable. Rejects with what the closure threw (its own writes are
   * undone, its neighbors' are not), or with a {@link StorageError} when the group could not be committed.
   */
  enqueue<T>(write: () => T): Promise<T> {
    if (this.#fatal) return Promise.reject(this.#fatal);
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({
        run: () => {
          const result = write();
          return () => resolve(result);
        },
        reject,
      });
      // Never at once: the caller must have its promise before its closure runs.
      if (this.#pending.length === this.#maxGroup) queueMicrotask(() => this.#flushGroup());
      this.#schedule();
    });
  }

  /** Commits everything that is pending, now; for shutdown and tests. */
  flush(): void {
    while (this.#pending.length > 0 && !this.#flushing) this.#flushGroup();
    this.#walSync?.flush();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      this.#flushGroup();
      // One group per turn: a flood of writes must not keep everything else from running.
      if (this.#pending.length > 0) this.#schedule();
    });
  }

  /**
   * A commit that reaches the disk blocks the thread for as long as the disk takes. Right after one, the next waits as
   * long again: the thread then has at least half of its time for work, and more writes share each commit.
   */
  #later(run: () => void): void {
    const pauseMs = Math.min(this.#lastCommitMs, longestPauseMs) - (performance.now() - this.#committedAt);
    if (this.#options.schedule) this.#options.schedule(run);
    else if (pauseMs >= 1) setTimeout(run, pauseMs);
    else setImmediate(run);
  }

  #flushGroup(): void {
    if (this.#flushing || this.#pending.length === 0) return;
    const group = this.#pending.splice(0, this.#maxGroup);
    const started = performance.now();
    this.#flushing = true;
    try {
      const tellings = this.#commit(group);
      if (this.#walSync)
        this.#walSync.add(tellings.map((tell, index) => ({ tell, reject: this.#rejecting(group[index]) })));
      else for (const tell of tellings) tell();
    } catch (error) {
      this.#fail(error, group);
    } finally {
      this.#flushing = false;
      this.#committedAt = performance.now();
      this.#lastCommitMs = this.#committedAt - started;
    }
  }

  /** What failed is told as the failure that ended everything. */
  #rejecting(write: PendingWrite | undefined): (error: unknown) => void {
    return (error) => write?.reject(this.#fatal ?? error);
  }

  #commit(group: readonly PendingWrite[]): (() => void)[] {
    const { connection } = this.#database;
    const tellings: (() => void)[] = [];
    // Alone, a write that throws takes nobody with it: the transaction itself is its savepoint.
    const alone = group.length === 1;
    this.#begin.run();
    for (const write of group) {
      if (!alone) this.#savepoint.run();
      try {
        tellings.push(write.run());
      } catch (error) {
        // A failure of the store has ended the transaction for everybody; any other error is this closure's own.
        if (toStorageError(error, this.#database.file) || !connection.isTransaction) throw error;
        tellings.push(() => write.reject(error));
        if (alone) {
          this.#database.rollback();
          return tellings;
        }
        this.#undo.run();
      }
      if (!alone) this.#release.run();
    }
    this.#end.run();
    this.#commits++;
    this.#writes += group.length;
    return tellings;
  }

  #fail(error: unknown, group: readonly PendingWrite[]): void {
    const fatal =
      toStorageError(error, this.#database.file) ??
      new StorageError('io', this.#database.file, `a commit failed (${String(error)})`, 'Restart.', error);
    try {
      this.#database.rollback();
    } catch {
      // The transaction is void either way: without its commit record SQLite ignores it at the next start.
    }
    const first = this.#fatal === undefined;
    this.#fatal ??= fatal;
    for (const write of [...group, ...this.#pending]) write.reject(fatal);
    this.#pending = [];
    if (first) this.#options.onFatal?.(fatal);
  }
}
