/**
 * Puts that need not be durable when they are answered (`soon` in the contract). They are held for a moment and then written together: entries of
 * one claim are neighbors in the file, so one write of their page serves them all, and an entry that is replaced or deleted meanwhile
 * is never written.
 *
 * What is held is lost if the process dies. Everything that reads the file has to look here first.
 */
import type { Timers } from '../../base/timers.ts';
import type { GroupCommit } from '../../platforms/sqlite/sqlite.ts';
import type { EntryRow } from './rows.ts';

/** Nothing is held longer. */
const holdMs = 250;
/** Nor more of it: a flush is one part of a commit, and must not make it long. */
const mostHeld = 256;

export class DeferredPuts {
  readonly #commits: GroupCommit;
  readonly #timers: Timers;
  readonly #held = new Map<string, EntryRow>();
  #cancel: (() => void) | undefined;
  #write: ((row: EntryRow) => void) | undefined;

  constructor(commits: GroupCommit, timers: Timers) {
    this.#commits = commits;
    this.#timers = timers;
  }

  get(key: string): EntryRow | undefined {
    return this.#held.get(key);
  }

  /** `write` runs inside a commit. */
  put(row: EntryRow, write: (row: EntryRow) => void): void {
    this.#write = write;
    this.#held.set(row.key, row);
    if (this.#held.size >= mostHeld) this.flush();
    else this.#cancel ??= this.#timers.after(holdMs, () => this.flush());
  }

  /** Another write takes its place. What was put since `row` was looked at stays. */
  drop(row: EntryRow | undefined): void {
    if (row && this.#held.get(row.key) === row) this.#held.delete(row.key);
  }

  /** Begins to write what is held; it can be read here until the commit. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const write = this.#write;
    if (!write || this.#held.size === 0) return;
    const rows = [...this.#held.values()];
    const writing = this.#commits.enqueue(() => {
      for (const row of rows) {
        if (this.#held.get(row.key) !== row) continue;
        write(row);
        this.#held.delete(row.key);
      }
    });
    // The failure that ends all commits is told to the owner of the database.
    writing.catch(() => undefined);
  }

  /** Everything whose key begins so is in the file when this returns. */
  flushNow(prefix = ''): void {
    for (const key of this.#held.keys()) {
      if (!key.startsWith(prefix)) continue;
      this.flush();
      this.#commits.flush();
      return;
    }
  }
}
