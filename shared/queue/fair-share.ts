/**
 * Shares a consumer's handlers between groups (clusters): no group has more than its part, and what is over waits its turn
 * here. What waits in a group that does not get on at all can be taken away, so that it is in nobody's way.
 */
import type { Clock } from '../base/runtime.ts';

interface Group<T> {
  running: number;
  waiting: T[];
  /** When something of it last began after a pause, or ended. */
  movedAt: number;
}

export interface ShareLimits {
  perGroup: number;
  /** A group at its limit in which nothing has ended for so long is stuck. */
  stuckAfterMs: number;
}

export class FairShare<T> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #limits: ShareLimits;
  readonly #clock: Clock;
  #waiting = 0;

  constructor(limits: ShareLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** How many wait here, of all groups. */
  get waiting(): number {
    return this.#waiting;
  }

  /** `begin`: it counts as running from now on. `wait`: `ended` hands it out later. */
  admit(name: string, item: T): 'begin' | 'wait' {
    const group = this.#group(name);
    if (group.running < this.#limits.perGroup) {
      if (group.running === 0) group.movedAt = this.#clock.monotonic();
      group.running++;
      return 'begin';
    }
    group.waiting.push(item);
    this.#waiting++;
    return 'wait';
  }

  /** One of the group has ended; the next of it, if there is one, counts as running. */
  ended(name: string): T | undefined {
    const group = this.#group(name);
    group.movedAt = this.#clock.monotonic();
    const next = group.waiting.shift();
    if (next !== undefined) this.#waiting--;
    else if (--group.running === 0) this.#groups.delete(name);
    return next;
  }

  /** What waits in groups that are stuck; it no longer waits here. */
  takeStuck(): T[] {
    return this.#take((group) => this.#isStuck(group));
  }

  takeAll(): T[] {
    return this.#take(() => true);
  }

  #take(which: (group: Group<T>) => boolean): T[] {
    const taken = [...this.#groups.values()].filter(which).flatMap((group) => group.waiting.splice(0));
    this.#waiting -= taken.length;
    return taken;
  }

  #isStuck(group: Group<T>): boolean {
    const { perGroup, stuckAfterMs } = this.#limits;
    return group.running >= perGroup && this.#clock.monotonic() - group.movedAt >= stuckAfterMs;
  }

  #group(name: string): Group<T> {
    let group = this.#groups.get(name);
    if (!group) {
      group = { running: 0, waiting: [], movedAt: this.#clock.monotonic() };
      this.#groups.set(name, group);
    }
    return group;
  }
}
