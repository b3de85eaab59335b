/** What will happen and when. It happens when its time has come and somebody looks, or by a timer of its own. */

import { DueHeap } from '../../shared/base/heap.ts';
import type { Clock } from '../../shared/base/runtime.ts';

interface Event {
  at: number;
  happen: (at: number) => void;
}

/** Longer timers overflow in Node. */
const longestTimerMs = 2 ** 31 - 1;

export class Timeline {
  readonly #clock: Clock;
  readonly #wakeByItself: boolean;
  readonly #events = new DueHeap<Event>();
  #moment: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #closed = false;

  /** `wakeByItself` is false where a test moves the clock. */
  constructor(clock: Clock, wakeByItself: boolean) {
    this.#clock = clock;
    this.#wakeByItself = wakeByItself;
  }

  /** While something happens, the time for which it was planned: it may be looked at much later. */
  get now(): number {
    return this.#moment ?? this.#clock.now();
  }

  /** True when something is due that has not happened yet. */
  get due(): boolean {
    return this.#events.next <= this.#clock.now();
  }

  plan(at: number, happen: (at: number) => void): void {
    this.#events.add(at, { at, happen });
    this.#wakeAt(at);
  }

  /** Lets everything happen that is due by now. Whoever looks at the world calls this first. */
  settle(): void {
    const until = this.#clock.now();
    try {
      for (let event = this.#events.takeDue(until)?.value; event; event = this.#events.takeDue(until)?.value) {
        this.#moment = event.at;
        event.happen(event.at);
      }
    } finally {
      this.#moment = undefined;
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #wakeAt(at: number): void {
    if (this.#closed || !this.#wakeByItself || at >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = at;
    this.#timer = setTimeout(
      () => {
        this.#wakesAt = Number.POSITIVE_INFINITY;
        this.settle();
        if (this.#events.size > 0) this.#wakeAt(this.#events.next);
      },
      Math.min(Math.max(0, at - this.#clock.now()), longestTimerMs),
    );
  }
}
