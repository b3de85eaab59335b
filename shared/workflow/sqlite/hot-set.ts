/**
 * The instances that are in memory. There are never more than the limit: parked ones (nothing queued, nothing executing)
 * make room for others, and no group may fill the whole of it with work that waits. Of the parked ones only some are kept at all:
 * a wait is long, and its instance comes back from the journal in less than a millisecond.
 */
import type { Live } from './live.ts';

export class HotSet {
  readonly #limit: number;
  readonly #parkedLimit: number;
  readonly #perGroup: number;
  readonly #lives = new Map<number, Live>();
  readonly #byKey = new Map<string, Live>();
  /** Longest parked first. */
  readonly #parked = new Set<Live>();
  /** How many of each group are not parked. */
  readonly #busy = new Map<string, number>();
  #roomMade = false;

  constructor(limit: number, parkedLimit: number, perGroup: number) {
    this.#limit = limit;
    this.#parkedLimit = parkedLimit;
    this.#perGroup = Math.max(1, Math.floor(perGroup));
  }

  get size(): number {
    return this.#lives.size;
  }

  /** True if there may be room since the last time this was asked. */
  takeRoomMade(): boolean {
    const made = this.#roomMade;
    this.#roomMade = false;
    return made;
  }

  get(row: number): Live | undefined {
    return this.#lives.get(row);
  }

  /** The newest instance of this key, if it is in memory and has not ended. */
  running(key: string): Live | undefined {
    const live = this.#byKey.get(key);
    return live && !live.end && !live.replaced ? live : undefined;
  }

  /** False for one that has been put out of memory, even if its row has come back since as another object. */
  has(live: Live): boolean {
    return this.#lives.get(live.row) === live;
  }

  values(): Iterable<Live> {
    return this.#lives.values();
  }

  hasRoom(group: string): boolean {
    const busy = this.#lives.size - this.#parked.size;
    return busy < this.#limit && (this.#busy.get(group) ?? 0) < this.#perGroup;
  }

  /** Takes one in; returns those that had to go for it. */
  hold(live: Live): Live[] {
    this.#lives.set(live.row, live);
    this.#byKey.set(live.identity.key, live);
    this.#count(live, 1);
    return this.#tooMany();
  }

  #tooMany(): Live[] {
    const gone: Live[] = [];
    for (const parked of this.#parked) {
      if (this.#lives.size <= this.#limit && this.#parked.size <= this.#parkedLimit) break;
      this.#parked.delete(parked);
      this.#remove(parked);
      gone.push(parked);
    }
    return gone;
  }

  /** To be told whenever an instance may have become busy or idle; returns those that had to go for it. */
  place(live: Live): Live[] {
    if (!this.has(live)) return [];
    if (live.active > 0 || live.end) {
      if (this.#parked.delete(live)) this.#count(live, 1);
    } else if (!this.#parked.has(live)) {
      this.#parked.add(live);
      this.#count(live, -1);
      this.#roomMade = true;
      return this.#tooMany();
    }
    return [];
  }

  drop(live: Live): void {
    if (!this.has(live)) return;
    this.#remove(live);
    if (!this.#parked.delete(live)) this.#count(live, -1);
    this.#roomMade = true;
  }

  #remove(live: Live): void {
    this.#lives.delete(live.row);
    // The next epoch of the key may be here already.
    if (this.#byKey.get(live.identity.key) === live) this.#byKey.delete(live.identity.key);
  }

  #count(live: Live, change: 1 | -1): void {
    const { group } = live.identity;
    const busy = (this.#busy.get(group) ?? 0) + change;
    if (busy === 0) this.#busy.delete(group);
    else this.#busy.set(group, busy);
  }
}
