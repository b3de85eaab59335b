/**
 * State on SQLite. A compare-and-set is one closure in a group commit, so nothing can come between its look and its
 * write. Versions are drawn from one counter of the file: a key that is deleted and made again never gets an old one.
 *
 * One process owns the file, so what was read or found absent is kept in memory until it is written.
 */
import type { StatementSync } from 'node:sqlite';
import type { Json } from '../../base/json.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Clock } from '../../base/runtime.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { GroupCommit, openDatabase, type SqliteDatabase, type StorageError } from '../../platforms/sqlite/sqlite.ts';
import { checkKey, checkLimit, checkTimeToLive, checkValue } from '../arguments.ts';
import type { Entry, State } from '../contract.ts';
import { DeferredPuts } from './deferred-puts.ts';
import { type EntryRow, isAlive, toEntry } from './rows.ts';

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
  deferred: DeferredPuts;
  /** What the file has under a key that was read lately; null: nothing. */
  recent: RecentMap<string, EntryRow | null>;
}

/** What is kept of reads: a few hundred kilobytes. Longer values are read again. */
const recentEntries = 2000;
const longestRecent = 512;

/** Opens the file that holds the state. What is in it may be lost at a price in time, so NORMAL is enough. */
export function openStateDatabase(options: {
  file: string;
  onFatal?: (error: StorageError) => void;
  timers?: Timers;
}): StateDatabase {
  const database = openDatabase({ file: options.file, synchronous: 'NORMAL', migrations });
  const commits = new GroupCommit(database, options.onFatal ? { onFatal: options.onFatal } : {});
  const deferred = new DeferredPuts(commits, options.timers ?? systemTimers);
  return { database, commits, deferred, recent: new RecentMap({ max: recentEntries }) };
}

/** Writes what is held back, then closes the file. */
export function closeStateDatabase({ database, deferred }: StateDatabase): void {
  if (database.connection.isOpen) deferred.flushNow();
  database.close();
}

export interface SqliteState extends State {
  /** Removes up to `limit` expired entries and says how many. Writes do this too, two at a time. */
  sweep(limit?: number): Promise<number>;
}

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
export function openSqliteState(opened: StateDatabase & { clock: Clock }): SqliteState {
  const { database, commits, deferred, recent, clock } = opened;
  const statements = database.guard(() => prepare(database.connection));

  /** What the file has, without a look at what is held back. */
  const stored = (key: string): EntryRow | undefined => {
    const known = recent.get(key);
    if (known !== undefined) return known ?? undefined;
    const row = statements.get.get(key) as EntryRow | undefined;
    if (row === undefined || row.value.length <= longestRecent) recent.set(key, row ?? null);
    return row;
  };
  const live = (key: string): EntryRow | undefined => {
    const row = deferred.get(key) ?? stored(key);
    return row && isAlive(row, clock.now()) ? row : undefined;
  };

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

  /** Runs inside a commit. */
  const write = (row: EntryRow): void => {
    const { key, value, expires_at } = row;
    recent.delete(key);
    statements.put.run(key, value, row.version, expires_at);
    if (expires_at !== null) soonest = Math.min(soonest, expires_at);
    sweepSome(clock.now());
  };

  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const row = database.guard(() => live(key));
      return row && toEntry<T>(row);
    },

    async put(key, value, { ifVersion, ttlSeconds, soon = false } = {}) {
      checkKey(key);
      const text = checkValue(key, value);
      const lifeMs = ttlSeconds === undefined ? undefined : checkTimeToLive(ttlSeconds);
      const rowOf = (drawn: number): EntryRow => {
        const expiresAt = lifeMs === undefined ? null : clock.now() + lifeMs;
        return { key, value: text, version: drawn, expires_at: expiresAt };
      };
      // A new block of versions takes a commit; so does the put that needs it.
      if (soon && ifVersion === undefined && version < lastDrawn) {
        const row = rowOf(++version);
        deferred.put(row, write);
        return String(row.version);
      }
      const replaced = deferred.get(key);
      return commits.enqueue(() => {
        if (ifVersion !== undefined) {
          const found = live(key);
          if ((found ? String(found.version) : null) !== ifVersion) return undefined;
        }
        const row = rowOf(nextVersion());
        write(row);
        deferred.drop(replaced);
        return String(row.version);
      });
    },

    async delete(key, { ifVersion } = {}) {
      checkKey(key);
      const removed = deferred.get(key);
      return commits.enqueue(() => {
        const found = live(key);
        if (!found || (ifVersion !== undefined && String(found.version) !== ifVersion)) return false;
        if (stored(key)) statements.delete.run(key);
        recent.delete(key);
        deferred.drop(removed);
        return true;
      });
    },

    async list<T extends Json>(
      prefix: string,
      { after = '', limit = defaultPage }: { after?: string; limit?: number } = {},
    ) {
      const size = checkLimit(limit);
      deferred.flushNow(prefix);
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

const columns = 'key, value, version, expires_at';
const alive = '(expires_at is null or expires_at > ?)';

/** Everything the driver says to SQLite; a test reads the plans. */
export const stateStatements = {
  get: `select ${columns} from entries where key = ?`,
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
