/**
 * When to look at a job: not before it usually ends, because every earlier look is a call for nothing, and soon after. How long that is
 * differs between clouds by minutes, so it is learned from the jobs that this process has seen.
 */

export interface JobPaceOptions {
  /** Until there is something to go by. */
  firstSeconds: number;
  leastSeconds: number;
  mostSeconds: number;
}

/** Found done at the first look: it may have been done earlier, so the next one is looked at a little earlier. */
const earlier = 0.9;

export class JobPace {
  readonly #options: JobPaceOptions;
  #usualSeconds: number;

  constructor(options: JobPaceOptions) {
    this.#options = options;
    this.#usualSeconds = options.firstSeconds;
  }

  first(): number {
    return this.#within(this.#usualSeconds);
  }

  /** After so many looks in vain, the first of them included. */
  next(looks: number): number {
    const { leastSeconds, mostSeconds } = this.#options;
    return Math.min(mostSeconds, leastSeconds * 1.5 ** Math.min(looks, 20));
  }

  /** The same where nobody counts: so long after it was begun it was not over. */
  after(seconds: number): number {
    const { leastSeconds, mostSeconds } = this.#options;
    return Math.min(mostSeconds, Math.max(leastSeconds, seconds / 2));
  }

  /** It was seen done, so long after it was begun. */
  ended(seconds: number, looks: number): void {
    const seen = looks <= 1 ? Math.min(this.#usualSeconds * earlier, seconds) : seconds;
    this.#usualSeconds = this.#within(looks <= 1 ? seen : (this.#usualSeconds + seen) / 2);
  }

  #within(seconds: number): number {
    const { leastSeconds } = this.#options;
    return Math.min(120, Math.max(leastSeconds, seconds));
  }
}
