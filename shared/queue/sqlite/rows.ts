/** Rows of the tables as node:sqlite returns them. Types, not interfaces: only those compare with its open records. */
import type { DeadLetter, Message } from '../contract.ts';

export type MessageRow = {
  seq: number;
  body: string;
  grp: string;
  enqueued_at: number;
  receive_count: number;
  last_failure: string | null;
};

export type DeadLetterRow = Omit<MessageRow, 'last_failure'> & {
  position: number;
  reason: string;
  dead_at: number;
};

export type ShareRow = { grp: string; messages: number; dead: number; dead_bytes: number };

export const toMessage = (row: MessageRow, receipt: string): Message => ({
  id: String(row.seq),
  body: row.body,
  receiveCount: row.receive_count,
  enqueuedAt: row.enqueued_at,
  ...groupIn(row),
  receipt,
});

export const toDeadLetter = (row: DeadLetterRow): DeadLetter => ({
  id: String(row.seq),
  body: row.body,
  reason: row.reason,
  ...groupIn(row),
  receiveCount: row.receive_count,
  enqueuedAt: row.enqueued_at,
  deadAt: row.dead_at,
});

const groupIn = ({ grp }: { grp: string }): { group?: string } => (grp === '' ? {} : { group: grp });

/** Ids and pages are our own numbers; anything else names nothing. */
export function toInteger(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
