/**
 * Makes commits durable without holding up the thread. In WAL mode a commit is durable when the log file has reached the disk; SQLite
 * waits for that in place when `synchronous` is FULL. This waits for the same file in the background, once for all commits made meanwhile.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

export interface Unsynced {
  tell(): void;
  reject(error: unknown): void;
}

export class WalSync {
  readonly #fd: number;
  readonly #onError: (error: unknown) => void;
  /** Committed since the sync that runs was started. */
  #waiting: Unsynced[] = [];
  #syncing: Unsynced[] | undefined;
  #isClosed = false;

  /** @param file The database, whose log is there already. */
  constructor(file: string, onError: (error: unknown) => void) {
    this.#fd = openSync(`${file}-wal`, 'r');
    this.#onError = onError;
  }

  get waiting(): number {
    return this.#waiting.length + (this.#syncing?.length ?? 0);
  }

  /** Each is told when what it has committed is on the disk, in this order. */
  add(commits: readonly Unsynced[]): void {
    this.#waiting.push(...commits);
    this.#start();
  }

  /** Waits in place. */
  flush(): void {
    if (this.waiting === 0) return;
    const all = [...(this.#syncing ?? []), ...this.#waiting];
    this.#waiting = [];
    if (this.#syncing) this.#syncing = [];
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      this.#fail(error, all);
      return;
    }
    for (const { tell } of all) tell();
  }

  /** Whoever still waits is told first. */
  close(): void {
    if (this.#isClosed) return;
    this.flush();
    this.#isClosed = true;
    if (!this.#syncing) closeSync(this.#fd);
  }

  #start(): void {
    if (this.#syncing || this.#waiting.length === 0 || this.#isClosed) return;
    this.#syncing = this.#waiting;
    this.#waiting = [];
    fdatasync(this.#fd, (error) => {
      const synced = this.#syncing ?? [];
      this.#syncing = undefined;
      if (error) this.#fail(error, synced);
      else for (const { tell } of synced) tell();
      // A file must not be closed while the disk is asked about it.
      if (this.#isClosed) closeSync(this.#fd);
      else this.#start();
    });
  }

  #fail(error: unknown, commits: readonly Unsynced[]): void {
    this.#onError(error);
    for (const { reject } of commits) reject(error);
  }
}
