/**
 * Signals. A sender first puts a mark into the mailbox, then pokes whoever waits; a waiter first leaves its token there
 * and takes the mark if there is one, then waits for the poke. Whatever the order of the two, one of them sees the other.
 * Each step may run twice: what a token has taken once, it is given again.
 */
import type { MailboxPayload } from './payloads.ts';
import { changeRecord, type Records } from './records.ts';

type Box = {
  /** A signal is there that nobody has taken. */
  marked: boolean;
  /** Who waits. */
  token?: string;
  /** Who took the last mark. */
  takenBy?: string;
  /** Of the last wait that was here. */
  order?: [startedAt: number, wait: number];
};

const daySeconds = 86_400;

const boxKey = (instance: string, signal: string): string => `workflow-signals/${instance}/${signal}`;

/** Leaves the mark; returns the token to poke, if somebody waits. */
export function putMark(records: Records, instance: string, signal: string): Promise<string | undefined> {
  return changeRecord<Box, string | undefined>(records, boxKey(instance, signal), (box) => {
    if (box?.marked) return { answer: box.token };
    return { write: { ...box, marked: true }, answer: box?.token };
  });
}

/** The waiter's side; true when there was a mark for it. */
export function serveMailbox(records: Records, request: MailboxPayload): Promise<boolean> {
  const { token, order, forSeconds } = request;
  return changeRecord<Box, boolean>(records, boxKey(request.instance, request.signal), (box) => {
    if (box?.takenBy === token) return { answer: true };
    // A step that is repeated after its wait was over must not take what belongs to the next one.
    if (box?.order && isBefore(order, box.order)) return { answer: false };
    if (box?.marked) return { write: { marked: false, takenBy: token, order }, ttlSeconds: daySeconds, answer: true };
    if (request.do === 'register') {
      return { write: { ...box, marked: false, token, order }, ttlSeconds: forSeconds + daySeconds, answer: false };
    }
    if (box?.token !== token) return { answer: false };
    return { write: { marked: false, order }, ttlSeconds: daySeconds, answer: false };
  });
}

const isBefore = (one: [number, number], other: [number, number]): boolean =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
