/** EC2's request buckets: each action has its own, and whoever finds it empty is turned away. */
import type { AwsSettings, RequestBucket } from './settings.ts';

export class Buckets {
  #rates: AwsSettings['buckets'];
  readonly #levels = new Map<string, { tokens: number; at: number }>();

  constructor(rates: AwsSettings['buckets']) {
    this.#rates = rates;
  }

  set(rates: AwsSettings['buckets']): void {
    this.#rates = rates;
    this.#levels.clear();
  }

  /** False when there is nothing left in it. */
  take(action: string, now: number): boolean {
    const rate: RequestBucket | undefined = this.#rates[action] ?? this.#rates['*'];
    if (rate === undefined) return true;
    const level = this.#levels.get(action) ?? { tokens: rate.burst, at: now };
    const tokens = Math.min(rate.burst, level.tokens + ((now - level.at) / 1000) * rate.refillPerSecond);
    const enough = tokens >= 1;
    this.#levels.set(action, { tokens: enough ? tokens - 1 : tokens, at: now });
    return enough;
  }
}
