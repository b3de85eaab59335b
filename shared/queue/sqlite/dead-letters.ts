/** The dead letters of a queue on SQLite: kept apart, listed, put back, dropped, and bounded. */
import type { Clock } from '../../base/runtime.ts';
import type { GroupCommit, SqliteDatabase } from '../../platforms/sqlite/sqlite.ts';
import { boundedReason, checkCount } from '../arguments.ts';
import type { DeadLetter, DeadLetterBounds, DeadLetterFilter } from '../contract.ts';
import { isNames } from '../dead-letter-filter.ts';
import { type DeadLetterRow, type MessageRow, type ShareRow, toDeadLetter, toInteger } from './rows.ts';
import type { QueueStatements } from './statements.ts';

const defaultPage = 100;
const largestPage = 1000;
/** So many go back, or go for good, in one transaction: others get their turn in between. */
const batchSize = 500;
/** Age needs no exact moment. */
const sweepEveryMs = 60_000;

type Dropped = Parameters<DeadLetterBounds['onDropped']>[0];

export interface DeadLettersSettings {
  database: SqliteDatabase;
  commits: GroupCommit;
  statements: QueueStatements;
  queue: string;
  clock: Clock;
  bounds: DeadLetterBounds | undefined;
}

export class SqliteDeadLetters {
  readonly #settings: DeadLettersSettings;
  #untold: Dropped[] = [];
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(settings: DeadLettersSettings) {
    this.#settings = settings;
  }

  /** Runs inside a commit, after which `tell` is to be called. */
  bury(row: MessageRow, reason: string): void {
    const { statements, queue, clock } = this.#settings;
    statements.remove.run(row.seq);
    const { seq, grp, body, receive_count, enqueued_at } = row;
    statements.bury.run(queue, grp, seq, body, boundedReason(reason), receive_count, enqueued_at, clock.now());
    this.#dropTooMany();
  }

  /** Drops what is too old, and groups that have nothing any more, once in a while. Runs inside a commit, after which `tell` is to be called. */
  sweep(): void {
    const { statements, queue, clock, bounds } = this.#settings;
    const now = clock.now();
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    statements.forgetShares.run(queue);
    if (!bounds) return;
    let letters = 0;
    for (; letters < batchSize; letters++) {
      const oldest = statements.oldestDead.get(queue) as { seq: number; dead_at: number } | undefined;
      if (!oldest || oldest.dead_at > now - bounds.seconds * 1000) break;
      statements.exhume.get(oldest.seq, queue);
    }
    if (letters > 0) this.#untold.push({ letters, why: 'age' });
    // The rest with the next receive.
    if (letters === batchSize) this.#sweptAt = Number.NEGATIVE_INFINITY;
  }

  /** After the commit: says what went by itself. */
  tell(): void {
    for (const dropped of this.#untold.splice(0)) this.#settings.bounds?.onDropped(dropped);
  }

  list({ after, limit = defaultPage }: { after?: string; limit?: number }): { items: DeadLetter[]; next?: string } {
    const { database, statements, queue } = this.#settings;
    const from = after === undefined ? 0 : toInteger(after);
    if (from === undefined)
      throw new RangeError(`after must be the next of an earlier page, but it is ${JSON.stringify(after)}`);
    const size = Math.min(checkCount('limit', limit), largestPage);
    const rows = database.guard(() => statements.deadLetters.all(queue, from, size + 1)) as DeadLetterRow[];
    const items = rows.slice(0, size).map(toDeadLetter);
    return rows.length > size ? { items, next: String(rows[size - 1]?.position) } : { items };
  }

  replay(named: readonly string[] | undefined): Promise<number> {
    const { statements, queue } = this.#settings;
    return this.#takeOut(this.#seqsOf(named ?? {}), (seq, now) => {
      const row = statements.exhume.get(seq, queue) as { body: string; grp: string } | undefined;
      if (row) statements.insertAgain.run(seq, queue, row.grp, row.body, now, now);
      return row !== undefined;
    });
  }

  drop(which: readonly string[] | DeadLetterFilter): Promise<number> {
    const { statements, queue } = this.#settings;
    return this.#takeOut(this.#seqsOf(which), (seq) => statements.exhume.get(seq, queue) !== undefined);
  }

  #seqsOf(which: readonly string[] | DeadLetterFilter): number[] {
    if (isNames(which)) return which.map(toInteger).filter((seq) => seq !== undefined);
    const { database, statements, queue } = this.#settings;
    const { group = null, reason = '', deadBefore = Number.MAX_SAFE_INTEGER } = which;
    const found = database.guard(() => statements.deadMatching.all(queue, group, Math.floor(deadBefore), reason));
    return (found as { seq: number }[]).map(({ seq }) => seq);
  }

  /** In batches; `take` runs inside a commit and says whether there was one. Returns how many. */
  async #takeOut(seqs: readonly number[], take: (seq: number, now: number) => boolean): Promise<number> {
    const { commits, clock } = this.#settings;
    let taken = 0;
    for (let start = 0; start < seqs.length; start += batchSize) {
      const batch = seqs.slice(start, start + batchSize);
      taken += await commits.enqueue(() => {
        const now = clock.now();
        return batch.filter((seq) => take(seq, now)).length;
      });
    }
    return taken;
  }

  /** Of the group that has most: a cluster whose events all fail must not push out what others are to look at. */
  #dropTooMany(): void {
    const { statements, queue, bounds } = this.#settings;
    if (!bounds) return;
    const shares = statements.shares.all(queue) as ShareRow[];
    const sum = (column: 'dead' | 'dead_bytes'): number => shares.reduce((all, share) => all + share[column], 0);
    const dropOf = (column: 'dead' | 'dead_bytes', limit: number, why: 'number' | 'bytes'): void => {
      let letters = 0;
      for (; sum(column) > limit; letters++) {
        const most = shares.reduce((left, right) => (right[column] > left[column] ? right : left));
        const oldest = statements.oldestDeadOf.get(queue, most.grp) as { seq: number; bytes: number } | undefined;
        if (!oldest) break;
        statements.exhume.get(oldest.seq, queue);
        most.dead -= 1;
        most.dead_bytes -= oldest.bytes;
      }
      if (letters > 0) this.#untold.push({ letters, why });
    };
    dropOf('dead', bounds.letters, 'number');
    dropOf('dead_bytes', bounds.bytes, 'bytes');
  }
}
