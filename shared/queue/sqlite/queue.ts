/**
 * The queue on SQLite: what the local host runs on. Every change is one closure in a group commit, so a message is
 * either where it was or where it should be, whenever the process dies.
 */
import type { Clock, Ids } from '../../base/runtime.ts';
import { boundedReason, checkBodies, checkCount, checkSeconds } from '../arguments.ts';
import { type Message, NoRoomError, type Queue, type QueueOptions, type Room } from '../contract.ts';
import { receivedTooOften } from '../reasons.ts';
import { SqliteDeadLetters } from './dead-letters.ts';
import { type MessageRow, type ShareRow, toInteger, toMessage } from './rows.ts';
import type { QueueDatabase } from './schema.ts';
import { prepareQueueStatements } from './statements.ts';
import { Turns } from './turns.ts';

/** What this driver can do beyond the contract, because sender and consumer are one process: spare the polling. */
export interface SqliteQueue extends Queue {
  /** Calls back whenever something was put on the queue or back on it (also delayed). Returns how to stop that. */
  onSend(listener: () => void): () => void;
  /**
   * When the next message that there is room for is or was due; undefined when there is none. A message in flight counts with
   * its timeout.
   */
  nextVisibleAt(options?: { room?: Room }): Promise<number | undefined>;
}

export interface SqliteQueueSettings extends QueueDatabase {
  name: string;
  clock: Clock;
  ids: Ids;
  options: QueueOptions;
  /** Why the disk takes no more, if it does not; asked before so many bytes are put on the queue. */
  diskProblem?: (bytes: number) => string | undefined;
}

/** Whoever is refused for want of room may come again after so long. */
const noRoomSeconds = 5;
/** So many messages that were received too often are cleared in one receive: a heap of them can't hold the commit for long. */
const mostCleared = 1000;

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

  const letters = new SqliteDeadLetters({
    database,
    commits,
    statements,
    queue: name,
    clock,
    bounds: options.deadLetterBounds,
  });
  const turns = new Turns();
  const sharesNow = (): ShareRow[] => statements.shares.all(name) as ShareRow[];

  /** The row of a delivery that is still valid: nobody has received the message since. Runs inside a commit. */
  function held(message: Message): MessageRow | undefined {
    const seq = toInteger(message.id);
    return seq === undefined ? undefined : (statements.held.get(seq, name, message.receipt) as MessageRow | undefined);
  }

  const buryReceived = (row: MessageRow, failure: string | null): void =>
    letters.bury(row, receivedTooOften(row.receive_count, failure ?? undefined, options.visibilitySeconds));

  function receiveNow(max: number, room: Room | undefined): Message[] {
    const now = clock.now();
    let cleared = 0;
    const takeFrom = (group: string): Message | 'none' => {
      while (cleared <= mostCleared) {
        const receipt = ids.next();
        const row = statements.claim.get(now + visibilityMs, receipt, name, group, now) as MessageRow | undefined;
        if (!row) return 'none';
        if (row.receive_count <= options.maxReceives) return toMessage(row, receipt);
        // This delivery does not take place, so it doesn't count.
        buryReceived({ ...row, receive_count: row.receive_count - 1 }, row.last_failure);
        cleared++;
      }
      return 'none';
    };
    const groups = sharesNow().flatMap(({ grp, messages }) => (messages > 0 ? [grp] : []));
    return turns.deal(groups, max, room, takeFrom);
  }

  /** Runs inside a commit, so that nobody else takes the room meanwhile. */
  function checkShare(group: string): void {
    if (!options.share) return;
    const { messages = 0, bytes = 0 } = (statements.share.get(name, group) ?? {}) as Partial<Record<string, number>>;
    // What has reached its share may be over it by one send: else a send larger than the share could never be stored.
    if (messages < options.share.messages && bytes < options.share.bytes) return;
    const limit = `${options.share.messages} messages or ${options.share.bytes} bytes`;
    const whose = group === '' ? '' : ` of ${JSON.stringify(group)}`;
    const problem = `${messages} messages${whose} with ${bytes} bytes are waiting, and at most ${limit} may wait`;
    throw new NoRoomError('share', problem, noRoomSeconds);
  }

  return {
    name,

    async send(bodies, sendOptions = {}) {
      checkBodies(name, bodies, options);
      const delayMs = checkSeconds('delaySeconds', sendOptions.delaySeconds ?? 0);
      if (bodies.length === 0) return;
      const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
      const problem = settings.diskProblem?.(bytes);
      if (problem !== undefined) throw new NoRoomError('disk', problem, noRoomSeconds);
      const { group = '' } = sendOptions;
      const now = clock.now();
      await commits.enqueue(() => {
        checkShare(group);
        for (const body of bodies) statements.insert.run(name, group, body, now, now + delayMs);
      });
      announce();
    },

    async receive(max, { room } = {}) {
      checkCount('max', max);
      const messages = await commits.enqueue(() => {
        letters.sweep();
        return receiveNow(max, room);
      });
      letters.tell();
      return messages;
    },

    async complete(message) {
      const seq = toInteger(message.id);
      if (seq === undefined) return false;
      return commits.enqueue(() => Number(statements.complete.run(seq, name, message.receipt).changes) > 0);
    },

    async abandon(message, { delaySeconds = 0, reason } = {}) {
      const delayMs = checkSeconds('delaySeconds', delaySeconds);
      const settled = await commits.enqueue(() => {
        const row = held(message);
        if (!row) return false;
        const failure = reason === undefined ? row.last_failure : boundedReason(reason);
        if (row.receive_count >= options.maxReceives) buryReceived(row, failure);
        else statements.release.run(clock.now() + delayMs, failure, row.seq);
        return true;
      });
      letters.tell();
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
      const settled = await commits.enqueue(() => {
        const row = held(message);
        if (row) letters.bury(row, reason);
        return row !== undefined;
      });
      letters.tell();
      return settled;
    },

    async deadLetters(page = {}) {
      return letters.list(page);
    },

    async replay(named) {
      const replayed = await letters.replay(named);
      if (replayed > 0) announce();
      return replayed;
    },

    async dropDeadLetters(which) {
      return letters.drop(which);
    },

    async stats() {
      return database.guard(() => {
        const now = clock.now();
        const hidden = { count: 0, leased: 0 };
        const totals = { messages: 0, dead: 0 };
        for (const { grp, messages, dead } of sharesNow()) {
          const { count, leased } = statements.hidden.get(name, grp, now) as typeof hidden;
          hidden.count += count;
          hidden.leased += leased;
          totals.messages += messages;
          totals.dead += dead;
        }
        const ready = totals.messages - hidden.count;
        const oldest =
          ready > 0 ? (statements.oldest.get(name, now) as { enqueued_at: number } | undefined) : undefined;
        return {
          ready,
          delayed: hidden.count - hidden.leased,
          inFlight: hidden.leased,
          dead: totals.dead,
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

    async nextVisibleAt({ room } = {}) {
      return database.guard(() => {
        const wanted = sharesNow().filter(({ grp, messages }) => messages > 0 && (room?.(grp) ?? 1) > 0);
        const due = wanted.map(({ grp }) => (statements.next.get(name, grp) as { visible_at: number }).visible_at);
        return due.length === 0 ? undefined : Math.min(...due);
      });
    },
  };
}
