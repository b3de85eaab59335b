/** What will happen, soonest first: one heap and one timer for all instances, however many there are. */
interface Due {
  /** Milliseconds since the epoch. */
  at: number;
}

export class DueHeap<T extends Due> {
  readonly #items: { order: number; item: T }[] = [];
  #count = 0;

  get size(): number {
    return this.#items.length;
  }

  /** When the next thing is due; undefined when there is none. */
  get nextAt(): number | undefined {
    return this.#items[0]?.item.at;
  }

  push(item: T): void {
    // What is due at the same moment happens in the order in which it was planned.
    this.#items.push({ order: this.#count++, item });
    let index = this.#items.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Takes out the soonest thing that is due by then. */
  popDue(now: number): T | undefined {
    const first = this.#items[0];
    if (first === undefined || first.item.at > now) return undefined;
    const last = this.#items.pop()!;
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink();
    }
    return first.item;
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= this.#items.length) return;
      const right = left + 1;
      const child = right < this.#items.length && this.#before(right, left) ? right : left;
      if (!this.#before(child, index)) return;
      this.#swap(child, index);
      index = child;
    }
  }

  #before(a: number, b: number): boolean {
    const one = this.#items[a]!;
    const other = this.#items[b]!;
    return one.item.at === other.item.at ? one.order < other.order : one.item.at < other.item.at;
  }

  #swap(a: number, b: number): void {
    const kept = this.#items[a]!;
    this.#items[a] = this.#items[b]!;
    this.#items[b] = kept;
  }
}
