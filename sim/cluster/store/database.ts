/**
 * The cluster's objects on disk. Writes are gathered and committed together at the end of the turn of the event loop;
 * nothing is answered before its commit, so that a kill of the process loses nothing that anybody was told.
 */
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import { simulatedStorageError } from '../../kit/storage-failure.ts';

interface StoredRow {
  resource: string;
  key: string;
  json: string;
}

export interface Database {
  load(): { rows: StoredRow[]; resourceVersion: number };
  put(resource: string, key: string, json: string): void;
  remove(resource: string, key: string): void;
  /** The counter to store with the next commit. */
  setResourceVersion(resourceVersion: number): void;
  /** Runs the callback after all writes so far are committed: at once when there are none. */
  afterCommit(callback: (failure?: Error) => void): void;
  close(): void;
}

const schemaVersion = 1;

export function openDatabase(file: string): Database {
  const db = open(file);
  const upsert = db.prepare('INSERT OR REPLACE INTO objects (resource, key, json) VALUES (?, ?, ?)');
  const drop = db.prepare('DELETE FROM objects WHERE resource = ? AND key = ?');
  const setCounter = db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('resourceVersion', ?)");

  // Only the last write to a key within one batch reaches the disk.
  let pending = new Map<string, StoredRow | { resource: string; key: string; json: undefined }>();
  let waiting: ((failure?: Error) => void)[] = [];
  let counter = 0;
  let scheduled = false;
  // After a failed commit memory is ahead of the disk. Nothing may be answered from it any more.
  let broken: Error | undefined;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(commit);
  }

  function commit(): void {
    scheduled = false;
    if (pending.size > 0 && !broken) {
      try {
        db.exec('BEGIN');
        for (const write of pending.values()) {
          if (write.json === undefined) drop.run(write.resource, write.key);
          else upsert.run(write.resource, write.key, write.json);
        }
        setCounter.run(counter);
        db.exec('COMMIT');
      } catch (error) {
        const failure = simulatedStorageError(error, file, 'cluster');
        broken =
          failure instanceof StorageError
            ? failure
            : new StorageError(
                'io',
                file,
                `a commit failed (${String(error)})`,
                'Restart: nothing that was acknowledged is lost.',
              );
        try {
          db.exec('ROLLBACK');
        } catch {
          // The failed commit has already ended the transaction.
        }
      }
      pending = new Map();
    }
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback(broken);
  }

  return {
    load() {
      try {
        const rows = db.prepare('SELECT resource, key, json FROM objects').all();
        const counterRow = db.prepare("SELECT value FROM meta WHERE name = 'resourceVersion'").get();
        return {
          rows: rows.map((row) => ({ resource: String(row.resource), key: String(row.key), json: String(row.json) })),
          resourceVersion: counterRow === undefined ? 0 : Number(counterRow.value),
        };
      } catch (error) {
        db.close();
        throw simulatedStorageError(error, file, 'cluster');
      }
    },
    put(resource, key, json) {
      pending.set(`${resource} ${key}`, { resource, key, json });
      schedule();
    },
    remove(resource, key) {
      pending.set(`${resource} ${key}`, { resource, key, json: undefined });
      schedule();
    },
    setResourceVersion(resourceVersion) {
      counter = resourceVersion;
    },
    afterCommit(callback) {
      if (broken) callback(broken);
      else if (pending.size === 0 && waiting.length === 0) callback();
      else waiting.push(callback);
    },
    close() {
      commit();
      db.close();
    },
  };
}

function open(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    // One process owns the file: a second one is refused instead of corrupting what the first holds in memory.
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000;',
    );
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (version > schemaVersion) {
      throw new StorageError(
        'newer-schema',
        file,
        `it was written by a newer version of Poolwright (schema ${version}, this version knows ${schemaVersion})`,
        'Start the newer version again, or pass another data directory.',
      );
    }
    db.exec(
      `CREATE TABLE IF NOT EXISTS objects (resource TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (resource, key));
       CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
       PRAGMA user_version = ${schemaVersion};`,
    );
    return db;
  } catch (error) {
    db?.close();
    throw simulatedStorageError(error, file, 'cluster');
  }
}
