/**
 * Decides when cold instances (known to the database alone) are taken up, and which: at a bounded rate, an equal share
 * of each group, and only while there is room in memory.
 */
import type { Journal, PositionRow } from './journal.ts';

const slicesPerSecond = 10;
const lookNow = Number.NEGATIVE_INFINITY;

export class ColdWork {
  readonly #journal: Journal;
  readonly #perSecond: number;
  /** When the first one wakes, as far as is known. */
  #next = lookNow;
  /** Not before this time, to keep the rate. */
  #notBefore = lookNow;
  /** Some are due but there was no room: nothing to do until there is. */
  #blocked = false;
  #taking = false;

  constructor(journal: Journal, perSecond: number) {
    this.#journal = journal;
    this.#perSecond = perSecond;
  }

  get isBlocked(): boolean {
    return this.#blocked;
  }

  /** When to look again. */
  get at(): number {
    return this.#taking ? Number.POSITIVE_INFINITY : Math.max(this.#next, this.#notBefore);
  }

  /** Something has become cold, or due, or there is room. */
  lookAgain(): void {
    this.#next = lookNow;
  }

  /** One that is cold since the last commit wakes at this time. */
  wakesAt(time: number): void {
    this.#next = Math.min(this.#next, time);
  }

  isDue(now: number): boolean {
    return this.at <= now;
  }

  begin(): void {
    this.#taking = true;
    this.#blocked = false;
  }

  /** Inside a transaction: gives every instance whose turn it is to `load`; returns what that made of them. */
  take<T>(now: number, hasRoom: (group: string) => boolean, load: (position: PositionRow) => T): T[] {
    const size = Math.ceil(this.#perSecond / slicesPerSecond);
    const groups = this.#journal.coldGroups();
    const due = groups.filter((group) => group.wake <= now);
    const share = Math.ceil(size / Math.max(1, due.length));
    const taken: T[] = [];
    for (const { grp } of due) {
      const wanted = Math.min(share, size - taken.length);
      for (const position of wanted > 0 ? this.#journal.coldDue(grp, now, wanted) : []) {
        if (!hasRoom(grp)) {
          this.#blocked = true;
          break;
        }
        taken.push(load(position));
      }
    }
    const later = groups.filter((group) => group.wake > now).map((group) => group.wake);
    // After some there may be more; after none, only a later wake or more room can change that.
    this.#next = taken.length > 0 ? lookNow : Math.min(Number.POSITIVE_INFINITY, ...later);
    return taken;
  }

  end(began: number, taken: number): void {
    this.#taking = false;
    this.#notBefore = began + Math.ceil((taken * 1000) / this.#perSecond);
  }
}
