/**
 * The queue on SQLite: what the local host runs on. Every change is one closure in a group commit, so a message is
 * either where it was or where it should be, whenever the process dies.
 */
import type { Clock, Ids } from '../../base/runtime.ts';
import { boundedReason, checkBodies, checkCount, checkSeconds } from '../arguments.ts';
import type { DeadLetter, Message, Queue, QueueOptions } from '../contract.ts';
import type { QueueDatabase } from './schema.ts';
import { prepareQueueStatements } from './statements.ts';

/** What this driver can do beyond the contract, because sender and consumer are one process: spare the polling. */
export interface SqliteQueue extends Queue {
  /** Calls back whenever something was put on the queue or back on it (also delayed). Returns how to stop that. */
  onSend(listener: () => void): () => void;
  /** When the next message is or was due; undefined when the queue is empty. A message in flight counts with its timeout. */
  nextVisibleAt(): Promise<number | undefined>;
}

export interface SqliteQueueSettings extends QueueDatabase {
  name: string;
  clock: Clock;
  ids: Ids;
  options: QueueOptions;
}

// Types, not interfaces: only those compare with the open records that node:sqlite returns.
type MessageRow = {
  seq: number;
  body: string;
  enqueued_at: number;
  receive_count: number;
  last_failure: string | null;
};

type DeadLetterRow = Omit<MessageRow, 'last_failure'> & {
  position: number;
  reason: string;
  dead_at: number;
};

const defaultPage = 100;
const largestPage = 1000;
/** So many dead letters go back, or go for good, in one transaction: others get their turn in between. */
const deadBatch = 500;

/**
 * @example
 * const queues = openQueueDatabase({ file: 'queue.db' });
 * const queue = openSqliteQueue({ ...queues, name: 'claims', clock, ids,
 *   options: { visibilitySeconds: 30, maxReceives: 5, maxBodyBytes: maxEventBytes } });
 */
export function openSqliteQueue(settings: SqliteQueueSettings): SqliteQueue {
  const { database, commits, name, clock, ids, options } = settings;
  const visibilityMs = checkSeconds('visibilitySeconds', options.visibilitySeconds);
  checkCount('maxReceives', options.maxReceives);
  const statements = database.guard(() => prepareQueueStatements(database.connection));
  const listeners = new Set<() => void>();
  const announce = () => {
    for (const listener of listeners) listener();
  };

  /** Runs inside a commit. */
  function bury(row: MessageRow, reason: string): void {
    statements.remove.run(row.seq);
    const { seq, body, receive_count, enqueued_at } = row;
    statements.bury.run(name, seq, body, boundedReason(reason), receive_count, enqueued_at, clock.now());
  }

  /** The row of a delivery that is still valid: nobody has received the message since. Runs inside a commit. */
  function held(message: Message): MessageRow | undefined {
    const seq = toInteger(message.id);
    return seq === undefined ? undefined : (statements.held.get(seq, name, message.receipt) as MessageRow | undefined);
  }

  const receivedTooOften = (row: MessageRow, failure: string | null): string =>
    `received ${row.receive_count} times, ${
      failure === null
        ? `and never settled: its handler crashed or took longer than ${options.visibilitySeconds} s`
        : `last failure: ${failure}`
    }`;

  /** Takes dead letters out in batches; `take` runs inside a commit and says whether there was one. Returns how many. */
  async function takeOut(seqs: readonly number[], take: (seq: number, now: number) => boolean): Promise<number> {
    let taken = 0;
    for (let start = 0; start < seqs.length; start += deadBatch) {
      const batch = seqs.slice(start, start + deadBatch);
      taken += await commits.enqueue(() => {
        const now = clock.now();
        return batch.filter((seq) => take(seq, now)).length;
      });
    }
    return taken;
  }

  function receiveNow(max: number): Message[] {
    const now = clock.now();
    const messages: Message[] = [];
    // Bounded, so that a heap of messages that were received too often can't hold the commit for long.
    for (let step = 0; step < max + largestPage && messages.length < max; step++) {
      const receipt = ids.next();
      const row = statements.claim.get(now + visibilityMs, receipt, name, now) as MessageRow | undefined;
      if (!row) break;
      if (row.receive_count > options.maxReceives) {
        // This delivery does not take place, so it doesn't count.
        const earlier = { ...row, receive_count: row.receive_count - 1 };
        bury(earlier, receivedTooOften(earlier, row.last_failure));
        continue;
      }
      messages.push({
        id: String(row.seq),
        body: row.body,
        receiveCount: row.receive_count,
        enqueuedAt: row.enqueued_at,
        receipt,
      });
    }
    return messages;
  }

  return {
    name,

    async send(bodies, sendOptions = {}) {
      checkBodies(name, bodies, options);
      const delayMs = checkSeconds('delaySeconds', sendOptions.delaySeconds ?? 0);
      if (bodies.length === 0) return;
      const now = clock.now();
      await commits.enqueue(() => {
        for (const body of bodies) statements.insert.run(name, body, now, now + delayMs);
      });
      announce();
    },

    async receive(max) {
      checkCount('max', max);
      return commits.enqueue(() => receiveNow(max));
    },

    async complete(message) {
      return commits.enqueue(() => {
        const row = held(message);
        if (row) statements.remove.run(row.seq);
        return row !== undefined;
      });
    },

    async abandon(message, { delaySeconds = 0, reason } = {}) {
      const delayMs = checkSeconds('delaySeconds', delaySeconds);
      const settled = await commits.enqueue(() => {
        const row = held(message);
        if (!row) return false;
        const failure = reason === undefined ? row.last_failure : boundedReason(reason);
        if (row.receive_count >= options.maxReceives) bury(row, receivedTooOften(row, failure));
        else statements.release.run(clock.now() + delayMs, failure, row.seq);
        return true;
      });
      if (settled) announce();
      return settled;
    },

    async extend(message, seconds) {
      const milliseconds = checkSeconds('seconds', seconds);
      return commits.enqueue(() => {
        const row = held(message);
        if (row) statements.extend.run(clock.now() + milliseconds, row.seq);
        return row !== undefined;
      });
    },

    async deadLetter(message, reason) {
      return commits.enqueue(() => {
        const row = held(message);
        if (row) bury(row, reason);
        return row !== undefined;
      });
    },

    async deadLetters({ after, limit = defaultPage } = {}) {
      const from = after === undefined ? 0 : toInteger(after);
      if (from === undefined)
        throw new RangeError(`after must be the next of an earlier page, but it is ${JSON.stringify(after)}`);
      const size = Math.min(checkCount('limit', limit), largestPage);
      const rows = database.guard(() => statements.deadLetters.all(name, from, size + 1)) as DeadLetterRow[];
      const items = rows.slice(0, size).map(toDeadLetter);
      return rows.length > size ? { items, next: String(rows[size - 1]?.position) } : { items };
    },

    async replay(named) {
      const seqs = database.guard(() =>
        named === undefined
          ? (statements.deadSeqs.all(name) as { seq: number }[]).map(({ seq }) => seq)
          : toIntegers(named),
      );
      const replayed = await takeOut(seqs, (seq, now) => {
        const row = statements.exhume.get(seq, name) as { body: string } | undefined;
        if (row) statements.insertAgain.run(seq, name, row.body, now, now);
        return row !== undefined;
      });
      if (replayed > 0) announce();
      return replayed;
    },

    async dropDeadLetters(named) {
      return takeOut(toIntegers(named), (seq) => statements.exhume.get(seq, name) !== undefined);
    },

    async stats() {
      return database.guard(() => {
        const now = clock.now();
        const totals = statements.totals.get(name) as { messages: number; dead: number } | undefined;
        const hidden = statements.hidden.get(name, now) as { count: number; leased: number };
        const ready = (totals?.messages ?? 0) - hidden.count;
        const oldest =
          ready > 0 ? (statements.oldest.get(name, now) as { enqueued_at: number } | undefined) : undefined;
        return {
          ready,
          delayed: hidden.count - hidden.leased,
          inFlight: hidden.leased,
          dead: totals?.dead ?? 0,
          oldestAgeMs: oldest ? Math.max(0, now - oldest.enqueued_at) : 0,
        };
      });
    },

    onSend(listener) {
      // Wrapped, so that the same function registered twice is two registrations.
      const registered = () => listener();
      listeners.add(registered);
      return () => listeners.delete(registered);
    },

    async nextVisibleAt() {
      return database.guard(() => (statements.next.get(name) as { visible_at: number } | undefined)?.visible_at);
    },
  };
}

function toDeadLetter(row: DeadLetterRow): DeadLetter {
  const { seq, body, reason, receive_count, enqueued_at, dead_at } = row;
  return { id: String(seq), body, reason, receiveCount: receive_count, enqueuedAt: enqueued_at, deadAt: dead_at };
}

/** Ids and pages are our own numbers; anything else names nothing. */
function toInteger(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const toIntegers = (ids: readonly string[]): number[] => ids.map(toInteger).filter((seq) => seq !== undefined);
