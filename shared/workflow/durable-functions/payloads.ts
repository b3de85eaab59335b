/** What travels through histories. All of it is JSON, and old histories hold old payloads: add, never change. */
import type { Json } from '../../json.ts';
import type { Item } from '../progress.ts';
import type { CallCommand, PollCommand } from '../vocabulary.ts';

export interface StartPayload {
  workflow: string;
  /** Compared with the code before the first command. */
  v: number;
  /** `key/epoch`, as activities know it. */
  id: string;
  input: Json;
}

export interface StepPayload {
  id: string;
  command: CallCommand | PollCommand;
  item: Item;
}

export interface ActivityPayload {
  id: string;
  execution: number;
  input: Json;
}

/** Activities never throw: Durable Functions would keep no more than a decorated message. */
export type ActivityAnswer = { ok: true; value: Json } | { ok: false; error: string; final?: boolean };

export interface MailboxPayload {
  do: 'register' | 'close';
  instance: string;
  signal: string;
  /** The name of the event that wakes this one wait. */
  token: string;
  /** When this run of the instance began, and which of its waits this is: later ones win. */
  order: [startedAt: number, wait: number];
  forSeconds: number;
}

/** What an instance says of itself, readable without its history. */
export interface CustomStatus {
  waitingFor?: string;
  /** How it ended, where that is not what the platform calls it. */
  status?: 'failed' | 'mismatched' | 'set-aside';
  error?: string;
}
