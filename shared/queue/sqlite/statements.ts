import type { DatabaseSync, StatementSync } from 'node:sqlite';

const columns = 'seq, body, grp, enqueued_at, receive_count, last_failure';

/** Everything the driver says to SQLite. What runs often needs an index that answers it; a test reads the plans. */
export const queueStatements = {
  insert: 'insert into messages (queue, grp, body, enqueued_at, visible_at) values (?, ?, ?, ?, ?)',
  insertAgain: 'insert into messages (seq, queue, grp, body, enqueued_at, visible_at) values (?, ?, ?, ?, ?, ?)',
  claim: `update messages set visible_at = ?, receipt = ?, leased = 1, receive_count = receive_count + 1
      where seq = (select seq from messages where queue = ? and grp = ? and visible_at <= ?
        order by visible_at, seq limit 1)
      returning ${columns}`,
  held: `select ${columns} from messages where seq = ? and queue = ? and receipt = ?`,
  remove: 'delete from messages where seq = ?',
  complete: 'delete from messages where seq = ? and queue = ? and receipt = ?',
  release: 'update messages set visible_at = ?, last_failure = ?, receipt = null, leased = 0 where seq = ?',
  extend: 'update messages set visible_at = ? where seq = ?',
  bury: `insert into dead_letters (queue, grp, seq, body, reason, receive_count, enqueued_at, dead_at)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
  deadLetters: `select position, seq, body, grp, reason, receive_count, enqueued_at, dead_at from dead_letters
      where queue = ? and position > ? order by position limit ?`,
  deadMatching: `select seq from dead_letters
      where queue = ? and grp = coalesce(?, grp) and dead_at < ? and instr(reason, ?) > 0 order by position`,
  exhume: 'delete from dead_letters where seq = ? and queue = ? returning body, grp',
  oldestDead: 'select seq, dead_at from dead_letters where queue = ? order by position limit 1',
  oldestDeadOf: `select seq, octet_length(body) + octet_length(reason) as bytes from dead_letters
      where queue = ? and grp = ? order by position limit 1`,
  shares: 'select grp, messages, dead, dead_bytes from shares where queue = ? order by grp',
  share: 'select messages, bytes from shares where queue = ? and grp = ?',
  forgetShares: 'delete from shares where queue = ? and messages = 0 and dead = 0',
  hidden: `select count(*) as count, coalesce(sum(leased), 0) as leased from messages
      where queue = ? and grp = ? and visible_at > ?`,
  // Without the hint the planner may walk all that is ready and sort it.
  oldest: `select enqueued_at from messages indexed by messages_by_age
      where queue = ? and visible_at <= ? order by enqueued_at limit 1`,
  next: 'select visible_at from messages where queue = ? and grp = ? order by visible_at limit 1',
} as const;

export type QueueStatements = Record<keyof typeof queueStatements, StatementSync>;

export function prepareQueueStatements(connection: DatabaseSync): QueueStatements {
  const prepared = Object.entries(queueStatements).map(([name, sql]) => [name, connection.prepare(sql)]);
  return Object.fromEntries(prepared) as QueueStatements;
}
