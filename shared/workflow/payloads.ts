/** What travels through the histories of a platform's engine. All of it is JSON, and old histories hold old payloads: add, never change. */
import type { Json } from '../base/json.ts';

export interface StartPayload {
  workflow: string;
  /** Compared with the code before the first command. */
  v: number;
  /** `key/epoch`, as activities know it. */
  id: string;
  input: Json;
  /** Its steps are done by the functions that the host routes them to; absent in histories from when each was a function of its own. */
  routed?: true;
}

export interface ActivityPayload {
  id: string;
  execution: number;
  input: Json;
}

/** Activities never throw: an engine would keep no more than a decorated message. */
export type ActivityAnswer = ({ ok: true; value: Json } | { ok: false; error: string; final?: boolean }) & {
  /** Which step it was, where the history names only the function that did it. */
  activity?: string;
};

export interface MailboxPayload {
  do: 'register' | 'close';
  instance: string;
  signal: string;
  /** What wakes this one wait: the name of an event, the id of a callback. */
  token: string;
  /** When this run of the instance began, and which of its waits this is: later ones win. */
  order: [startedAt: number, wait: number];
  forSeconds: number;
}
