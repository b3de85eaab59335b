/** One timer for the earliest of many times. */
import type { Timers } from '../../base/timers.ts';

export class Alarm {
  readonly #timers: Timers;
  readonly #ring: () => void;
  #set: { at: number; cancel: () => void } | undefined;

  constructor(timers: Timers, ring: () => void) {
    this.#timers = timers;
    this.#ring = ring;
  }

  /** Rings at this time at the latest. An earlier setting stays: to ring once too often does no harm. */
  by(at: number, now: number): void {
    if (at === Number.POSITIVE_INFINITY || (this.#set && this.#set.at <= at)) return;
    this.cancel();
    const cancel = this.#timers.after(Math.max(0, at - now), () => {
      this.#set = undefined;
      this.#ring();
    });
    this.#set = { at, cancel };
  }

  cancel(): void {
    this.#set?.cancel();
    this.#set = undefined;
  }
}
