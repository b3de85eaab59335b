/**
 * The queue port: at-least-once delivery with a visibility timeout, as SQS and Service Bus do it.
 * Every driver passes `test/conformance/queue/conformance.ts`.
 */

export interface Message {
  /** Stable over redeliveries. */
  readonly id: string;
  readonly body: string;
  /** 1 at the first delivery. */
  readonly receiveCount: number;
  readonly enqueuedAt: number;
  /** Proof of this delivery: an older receipt no longer settles anything. */
  readonly receipt: string;
}

/** What becomes of a message: done, try it again later, or keep it apart with the reason. */
export type Handled = 'done' | { retryAfterSeconds: number; reason: string } | { dead: string };

export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  /** Why it lies here, for a person. */
  readonly reason: string;
  readonly receiveCount: number;
  readonly enqueuedAt: number;
  readonly deadAt: number;
}

export interface QueueStats {
  /** Waiting now, without delayed and without those being handled (a broker that can't tell them apart counts them here). */
  readonly ready: number;
  readonly delayed: number;
  readonly inFlight: number;
  readonly dead: number;
  /** Age of the oldest message that is ready, in milliseconds; 0 when there is none. */
  readonly oldestAgeMs: number;
}

/** The sending half of a queue, which is all that a source needs. A driver for a source may have this half alone. */
export interface Sender {
  readonly name: string;
  /** Durable when it resolves. A body over the limit is refused with a RangeError that names the limit. */
  send(bodies: readonly string[]): Promise<void>;
}

/** Nothing is known to be stored: send all of it again. What arrives twice does no harm. */
export class SendError extends Error {
  /** What the far side asks for, if it does. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'SendError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface Queue extends Sender {
  send(bodies: readonly string[], options?: { delaySeconds?: number }): Promise<void>;
  /** Up to `max` messages, oldest first; each is invisible to others for the visibility timeout. */
  receive(max: number): Promise<Message[]>;
  /** Done: gone for good. False when the receipt is stale (the message was delivered again). */
  complete(message: Message): Promise<boolean>;
  /**
   * Not done: visible again after the delay (default at once). Its receive count stays. The reason is kept: when the
   * message was received too often, its dead letter names the last one.
   */
  abandon(message: Message, options?: { delaySeconds?: number; reason?: string }): Promise<boolean>;
  /** Gives a slow handler more time: so many seconds from now, or as many as the broker gives. */
  extend(message: Message, seconds: number): Promise<boolean>;
  /** Can't be understood or handled: kept apart with its reason. */
  deadLetter(message: Message, reason: string): Promise<boolean>;
  /** Dead letters, oldest first, in pages: go on with `after: next` while there is a `next`. */
  deadLetters(page?: { after?: string; limit?: number }): Promise<{ items: DeadLetter[]; next?: string }>;
  /** Puts dead letters back on the queue (all there are now, or those named), with a fresh receive count; returns how many. */
  replay(ids?: readonly string[]): Promise<number>;
  /** Throws dead letters away, for good; returns how many were there. There is no "all": who drops must have seen them. */
  dropDeadLetters(ids: readonly string[]): Promise<number>;
  stats(): Promise<QueueStats>;
}

export interface QueueOptions {
  visibilitySeconds: number;
  /** A message received more often than this goes to the dead letters by itself, reason included. */
  maxReceives: number;
  maxBodyBytes: number;
}
