/**
 * One call for what many ask at about the same time. Whoever comes alone waits for nobody; while there is traffic, what is asked
 * within a window goes out together. Each asker has its own answer and its own signal, and the failure of one is not the others'.
 */
import { failed, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';

export interface MergedOptions<T> {
  /** Asks for all of these at once. A key without an answer is a mistake, and told so. */
  ask(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Result<T>>>;
  /** So many at once at most. */
  most: number;
  windowMs: number;
  clock: Clock;
  timers?: Timers;
  /** What an asker is told whose signal fired while the call was under way: a write may have been done. */
  stoppedAs: 'unavailable' | 'outcome-unknown';
}

interface Asker<T> {
  key: string;
  resolve(result: Result<T>): void;
}

/** For so long after a call there is traffic. */
const trafficMs = 1000;

export class Merged<T> {
  readonly #options: MergedOptions<T>;
  #waiting = new Set<Asker<T>>();
  /** The calls that are under way. */
  readonly #flights = new Set<{ askers: Set<Asker<T>>; controller: AbortController }>();
  #cancel: (() => void) | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: MergedOptions<T>) {
    this.#options = options;
  }

  ask(key: string, signal: AbortSignal): Promise<Result<T>> {
    if (signal.aborted) return Promise.resolve(failed('unavailable', 'the call was stopped before it was sent'));
    return new Promise((resolve) => {
      const asker: Asker<T> = {
        key,
        resolve: (result) => {
          signal.removeEventListener('abort', stop);
          resolve(result);
        },
      };
      const stop = (): void => {
        const before = this.#waiting.delete(asker);
        const kind = before ? 'unavailable' : this.#options.stoppedAs;
        this.#leave(asker);
        asker.resolve(failed(kind, `the call was stopped ${before ? 'before it was sent' : 'before it was answered'}`));
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.add(asker);
      this.#schedule();
    });
  }

  /** Takes an asker out of the calls that are under way. */
  #leave(asker: Asker<T>): void {
    for (const { askers, controller } of this.#flights) {
      // Nobody is left who wants to know.
      if (askers.delete(asker) && askers.size === 0) controller.abort();
    }
  }

  #schedule(): void {
    const { most, windowMs, clock, timers = systemTimers } = this.#options;
    if (this.#waiting.size >= most) {
      this.#send();
      return;
    }
    if (this.#cancel !== undefined) return;
    const traffic = this.#flights.size > 0 || clock.monotonic() - this.#lastAt < trafficMs;
    this.#cancel = timers.after(traffic ? windowMs : 0, () => this.#send());
  }

  #send(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.size === 0) return;
    const askers = this.#waiting;
    this.#waiting = new Set();
    void this.#fly({ askers, controller: new AbortController() });
  }

  async #fly(flight: { askers: Set<Asker<T>>; controller: AbortController }): Promise<void> {
    this.#flights.add(flight);
    const keys = [...new Set([...flight.askers].map(({ key }) => key))];
    const answers = await this.#options.ask(keys, flight.controller.signal);
    this.#lastAt = this.#options.clock.monotonic();
    this.#flights.delete(flight);
    for (const asker of flight.askers) {
      asker.resolve(answers.get(asker.key) ?? failed('unavailable', `the response has nothing about ${asker.key}`));
    }
  }
}
