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
  /** Whose it is, as its sender said. */
  readonly group?: string;
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
  readonly group?: string;
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
  /**
   * Durable when it resolves, all or nothing. A body over the limit is refused with a RangeError that names the limit, and what
   * there is no room for with `NoRoomError`.
   */
  send(bodies: readonly string[], options?: { group?: string }): Promise<void>;
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

/** The queue takes no more for now: of this group (`share`), or of anybody (`disk`). Nothing was stored. */
export class NoRoomError extends SendError {
  readonly what: 'share' | 'disk';

  constructor(what: 'share' | 'disk', message: string, retryAfterSeconds: number) {
    super(message, retryAfterSeconds);
    this.name = 'NoRoomError';
    this.what = what;
  }
}

/** How many more messages of a group the receiver has room for; '' is the group of those without one. */
export type Room = (group: string) => number;

/** Those that match all of what is given; an empty filter matches every dead letter. */
export interface DeadLetterFilter {
  group?: string;
  /** A part of the reason. */
  reason?: string;
  /** Dead for longer than since then. */
  deadBefore?: number;
}

export interface Queue extends Sender {
  /** Groups take turns, so a group that sends much holds up itself alone. A broker may share by means of its own, or not at all. */
  send(bodies: readonly string[], options?: { delaySeconds?: number; group?: string }): Promise<void>;
  /**
   * Up to `max` messages, of each group the oldest first; each is invisible to others for the visibility timeout. What there is
   * no room for stays on the queue; a broker that can't choose ignores that.
   */
  receive(max: number, options?: { room?: Room }): Promise<Message[]>;
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
  /** Throws dead letters away, for good: those named, or all that match now. Returns how many were there. */
  dropDeadLetters(which: readonly string[] | DeadLetterFilter): Promise<number>;
  stats(): Promise<QueueStats>;
}

export interface QueueOptions {
  visibilitySeconds: number;
  /** A message received more often than this goes to the dead letters by itself, reason included. */
  maxReceives: number;
  maxBodyBytes: number;
  /** So much of one group may wait. Who has reached it may send no more for now; a broker without such a bound has none. */
  share?: { messages: number; bytes: number };
  /** What is over goes, of the group that has most of them the oldest first. A broker has bounds of its own. */
  deadLetterBounds?: DeadLetterBounds;
}

export interface DeadLetterBounds {
  letters: number;
  bytes: number;
  seconds: number;
  /** Never silently: so many went by themselves. */
  onDropped(dropped: { letters: number; why: 'number' | 'bytes' | 'age' }): void;
}
