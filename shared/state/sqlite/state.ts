/**
 * State on SQLite. A compare-and-set is one closure in a group commit, so nothing can come between its look and its
 * write. Versions are drawn from one counter of the file: a key that is deleted and made again never gets an old one.
 */
import type { StatementSync } from 'node:sqlite';
import type { Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import { GroupCommit, openDatabase, type SqliteDatabase, type StorageError } from '../../platforms/sqlite/sqlite.ts';
import { checkKey, checkLimit, checkTimeToLive, checkValue } from '../arguments.ts';
import type { Entry, State } from '../contract.ts';

const migrations = [
  `
  create table entries (
    key text primary key,
    value text not null,
    version integer not null,
    expires_at integer
  ) strict, without rowid;
  create index entries_by_expiry on entries (expires_at) where expires_at is not null;
  create table versions (last integer not null) strict;
  insert into versions values (0);
  `,
];

export interface StateDatabase {
  database: SqliteDatabase;
  commits: GroupCommit;
}

/** Opens the file that holds the state. What is in it may be lost at a price in time, so NORMAL is enough. */
export function openStateDatabase(options: { file: string; onFatal?: (error: StorageError) => void }): StateDatabase {
  const database = openDatabase({ file: options.file, synchronous: 'NORMAL', migrations });
  return { database, commits: new GroupCommit(database, options.onFatal ? { onFatal: options.onFatal } : {}) };
}

export interface SqliteState extends State {
  /** Removes up to `limit` expired entries and says how many. Writes do this too, two at a time. */
  sweep(limit?: number): Promise<number>;
}

// A type, not an interface: only that compares with the open records that node:sqlite returns.
type EntryRow = {
  key: string;
  value: string;
  version: number;
  expires_at: number | null;
};

const defaultPage = 100;
/** A page ends when it holds this much text, whatever its limit: a list must not fill the memory. */
const pageCharacters = 1024 * 1024;
/** Versions are drawn from the file in blocks, not one by one: that took a quarter of the time of a write. */
const versionBlock = 1000;
/** A write adds at most one entry that expires and sweeps two: what has expired can't pile up. */
const sweptPerWrite = 2;

/**
 * @example
 * const state = openSqliteState({ ...openStateDatabase({ file: 'state.db' }), clock });
 * const version = await state.put('turn/production', { holder: 'w-1' }, { ifVersion: null, ttlSeconds: 30 });
 */
export function openSqliteState({ database, commits, clock }: StateDatabase & { clock: Clock }): SqliteState {
  const statements = database.guard(() => prepare(database.connection));

  const live = (key: string): EntryRow | undefined => statements.get.get(key, clock.now()) as EntryRow | undefined;

  /** Nothing expires before this; the past when it is not known. Most writes need not look for what has expired then. */
  let soonest = Number.NEGATIVE_INFINITY;
  /** Runs inside a commit. */
  const sweepSome = (now: number): void => {
    if (now < soonest) return;
    if (Number(statements.sweep.run(now, sweptPerWrite).changes) === sweptPerWrite) return;
    soonest = (statements.soonest.get() as { at: number } | undefined)?.at ?? Number.POSITIVE_INFINITY;
  };

  let version = 0;
  let lastDrawn = 0;
  /** Runs inside a commit. What is left of a block when the process ends is never used. */
  const nextVersion = (): number => {
    if (version === lastDrawn) {
      lastDrawn = (statements.drawVersions.get(version) as { last: number }).last;
      version = lastDrawn - versionBlock;
    }
    return ++version;
  };

  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const row = database.guard(() => live(key));
      return row && toEntry<T>(row);
    },

    async put(key, value, { ifVersion, ttlSeconds } = {}) {
      checkKey(key);
      const text = checkValue(key, value);
      const lifeMs = ttlSeconds === undefined ? undefined : checkTimeToLive(ttlSeconds);
      return commits.enqueue(() => {
        if (ifVersion !== undefined) {
          const found = live(key);
          if ((found ? String(found.version) : null) !== ifVersion) return undefined;
        }
        const now = clock.now();
        const drawn = nextVersion();
        statements.put.run(key, text, drawn, lifeMs === undefined ? null : now + lifeMs);
        if (lifeMs !== undefined) soonest = Math.min(soonest, now + lifeMs);
        sweepSome(now);
        return String(drawn);
      });
    },

    async delete(key, { ifVersion } = {}) {
      checkKey(key);
      return commits.enqueue(() => {
        const found = live(key);
        if (!found || (ifVersion !== undefined && String(found.version) !== ifVersion)) return false;
        statements.delete.run(key);
        return true;
      });
    },

    async list<T extends Json>(
      prefix: string,
      { after = '', limit = defaultPage }: { after?: string; limit?: number } = {},
    ) {
      const size = checkLimit(limit);
      return database.guard(() => {
        const items: Entry<T>[] = [];
        let characters = 0;
        // Keys with one prefix stand together in byte order: the first that hasn't got it ends the list. LIKE would
        // need escapes, and an upper bound fails for the highest character.
        // One lower bound, not two: SQLite would walk from one of them and filter by the other, page after page.
        const start = Buffer.compare(Buffer.from(after), Buffer.from(prefix)) > 0 ? after : prefix;
        for (const found of statements.list.iterate(start, clock.now())) {
          const row = found as EntryRow;
          if (!row.key.startsWith(prefix)) break;
          if (row.key === after) continue;
          const last = items.at(-1);
          if (last && (items.length === size || characters + row.value.length > pageCharacters)) {
            return { items, next: last.key };
          }
          items.push(toEntry<T>(row));
          characters += row.value.length;
        }
        return { items };
      });
    },

    async sweep(limit = 500) {
      return commits.enqueue(() => Number(statements.sweep.run(clock.now(), checkLimit(limit)).changes));
    },
  };
}

function toEntry<T extends Json>(row: EntryRow): Entry<T> {
  const entry = { key: row.key, value: JSON.parse(row.value) as T, version: String(row.version) };
  return row.expires_at === null ? entry : { ...entry, expiresAt: row.expires_at };
}

const columns = 'key, value, version, expires_at';
const alive = '(expires_at is null or expires_at > ?)';

/** Everything the driver says to SQLite; a test reads the plans. */
export const stateStatements = {
  get: `select ${columns} from entries where key = ? and ${alive}`,
  drawVersions: `update versions set last = max(last, ?) + ${versionBlock} returning last`,
  put: 'insert or replace into entries (key, value, version, expires_at) values (?, ?, ?, ?)',
  delete: 'delete from entries where key = ?',
  list: `select ${columns} from entries where key >= ? and ${alive} order by key`,
  soonest: 'select expires_at as at from entries where expires_at is not null order by expires_at limit 1',
  sweep: `delete from entries where key in
    (select key from entries where expires_at <= ? order by expires_at limit ?)`,
} as const;

function prepare(connection: SqliteDatabase['connection']): Record<keyof typeof stateStatements, StatementSync> {
  const prepared = Object.entries(stateStatements).map(([name, sql]) => [name, connection.prepare(sql)]);
  return Object.fromEntries(prepared) as Record<keyof typeof stateStatements, StatementSync>;
}
