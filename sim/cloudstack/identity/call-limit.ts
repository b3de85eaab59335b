/** The request limit: each account has so many calls in an interval that begins with its first. */
import { throttled } from '../wire/refusals.ts';

export class CallLimit {
  #most: number | null;
  #seconds: number;
  readonly #counts = new Map<string, { until: number; calls: number }>();
  #refused = 0;

  constructor(most: number | null, seconds: number) {
    this.#most = most;
    this.#seconds = seconds;
  }

  /** How often somebody was turned away. */
  get refused(): number {
    return this.#refused;
  }

  set(most: number | null, seconds: number): void {
    this.#most = most;
    this.#seconds = seconds;
    this.#counts.clear();
  }

  count(account: string, now: number): void {
    if (this.#most === null) return;
    const known = this.#counts.get(account);
    const current = known === undefined || known.until <= now ? { until: now + this.#seconds * 1000, calls: 0 } : known;
    this.#counts.set(account, current);
    current.calls++;
    if (current.calls <= this.#most) return;
    this.#refused++;
    throw throttled(Math.max(1, Math.ceil(current.until - now)));
  }
}
