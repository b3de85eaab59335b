/**
 * One queue of the broker, without a socket: what is in it, who holds a lock on what, and what is due. Its dead letters are a
 * queue of their own. Nothing happens by itself: locks and schedules are looked at whenever somebody asks.
 */
import type { Clock } from '../../../shared/base/runtime.ts';

export interface EntityOptions {
  clock: Clock;
  /** Fresh lock tokens: 32 hexadecimal digits. */
  token: () => string;
  lockSeconds: number;
  maxDeliveryCount: number;
}

/** What a client put into a message, as far as the broker changes it; the rest travels as it came. */
export interface Content {
  application_properties?: Record<string, unknown>;
}

export interface Stored<T extends Content> {
  sequence: number;
  content: T;
  enqueuedAt: number;
  /** Until then it is a scheduled message. */
  dueAt: number;
  /** How often it was given to a receiver. */
  deliveries: number;
  lock: { token: string; until: number } | undefined;
}

export type Settlement =
  | { as: 'completed' }
  | { as: 'abandoned'; properties?: Record<string, unknown> }
  | { as: 'dead'; reason?: string; description?: string; properties?: Record<string, unknown> };

export class Entity<T extends Content> {
  readonly dead: Entity<T> | undefined;
  readonly #options: EntityOptions;
  /** In order of their numbers; among dead letters in the order of their deaths. */
  readonly #messages = new Map<number, Stored<T>>();
  readonly #locks = new Map<string, Stored<T>>();
  #last = 0;

  constructor(options: EntityOptions, isDeadLetters = false) {
    this.#options = options;
    // What lies among the dead letters stays there, however often it is received.
    this.dead = isDeadLetters
      ? undefined
      : new Entity({ ...options, maxDeliveryCount: Number.POSITIVE_INFINITY }, true);
  }

  get size(): number {
    return this.#messages.size;
  }

  enqueue(content: T, dueAt = 0): number {
    const sequence = ++this.#last;
    const enqueuedAt = this.#options.clock.now();
    this.#messages.set(sequence, { sequence, content, enqueuedAt, dueAt, deliveries: 0, lock: undefined });
    return sequence;
  }

  /** Oldest first; each is locked. */
  receive(count: number): Stored<T>[] {
    this.#settleDue();
    const { clock, token, lockSeconds } = this.#options;
    const now = clock.now();
    const received: Stored<T>[] = [];
    for (const stored of this.#messages.values()) {
      if (received.length >= count) break;
      if (stored.lock || stored.dueAt > now) continue;
      stored.lock = { token: token(), until: now + lockSeconds * 1000 };
      stored.deliveries++;
      this.#locks.set(stored.lock.token, stored);
      received.push(stored);
    }
    return received;
  }

  /** False when nobody holds that lock any more. */
  settle(token: string, settlement: Settlement): boolean {
    this.#settleDue();
    const stored = this.#locks.get(token);
    if (!stored) return false;
    this.#locks.delete(token);
    stored.lock = undefined;
    if (settlement.as === 'completed') return this.#messages.delete(stored.sequence);
    merge(stored.content, settlement.properties);
    if (settlement.as === 'dead') this.#bury(stored, settlement.reason, settlement.description);
    else this.#release(stored);
    return true;
  }

  renew(token: string): number | undefined {
    this.#settleDue();
    const lock = this.#locks.get(token)?.lock;
    if (lock) lock.until = this.#options.clock.now() + this.#options.lockSeconds * 1000;
    return lock?.until;
  }

  /** Everything, whoever holds it, from a number on. */
  peek(from: number, count: number): Stored<T>[] {
    this.#settleDue();
    return [...this.#messages.values()]
      .filter(({ sequence }) => sequence >= from)
      .sort((left, right) => left.sequence - right.sequence)
      .slice(0, count);
  }

  isScheduled({ dueAt }: Stored<T>): boolean {
    return dueAt > this.#options.clock.now();
  }

  /** Of a scheduled message that is not due yet. */
  cancel(sequence: number): boolean {
    const stored = this.#messages.get(sequence);
    return stored !== undefined && this.isScheduled(stored) && this.#messages.delete(sequence);
  }

  /** Takes over a message with its number, its time and its deliveries. */
  take(stored: Stored<T>): void {
    this.#last = Math.max(this.#last, stored.sequence);
    this.#messages.set(stored.sequence, stored);
  }

  #settleDue(): void {
    const now = this.#options.clock.now();
    for (const [token, stored] of this.#locks) {
      if (stored.lock && stored.lock.until > now) continue;
      this.#locks.delete(token);
      stored.lock = undefined;
      this.#release(stored);
    }
    for (const stored of [...this.#messages.values()]) {
      // A message whose time has come is put on the queue then: it gets its number and its time of that moment.
      if (stored.dueAt === 0 || stored.dueAt > now) continue;
      this.#messages.delete(stored.sequence);
      const sequence = ++this.#last;
      this.#messages.set(sequence, { ...stored, sequence, enqueuedAt: stored.dueAt, dueAt: 0 });
    }
  }

  #release(stored: Stored<T>): void {
    if (stored.deliveries < this.#options.maxDeliveryCount) return;
    const description = `Message could not be consumed after ${stored.deliveries} delivery attempts.`;
    this.#bury(stored, 'MaxDeliveryCountExceeded', description);
  }

  #bury(stored: Stored<T>, reason = '', description = ''): void {
    if (!this.dead) return;
    this.#messages.delete(stored.sequence);
    merge(stored.content, { DeadLetterReason: reason, DeadLetterErrorDescription: description });
    this.dead.take(stored);
  }
}

function merge(content: Content, properties: Record<string, unknown> = {}): void {
  content.application_properties = { ...content.application_properties, ...properties };
}
