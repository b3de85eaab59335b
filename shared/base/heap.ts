interface Entry<T> {
  at: number;
  order: number;
  value: T;
}

const isBefore = (one: Entry<unknown>, other: Entry<unknown>): boolean =>
  one.at === other.at ? one.order < other.order : one.at < other.at;

/** A binary heap of things that are due at a time: earliest first, and of one time in the order in which they came. */
export class DueHeap<T> {
  #entries: Entry<T>[] = [];
  #added = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** When the earliest is due; Infinity when there is none. */
  get next(): number {
    return this.#entries[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, value: T): void {
    const entries = this.#entries;
    let index = entries.push({ at, order: this.#added++, value }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entries[index]!, entries[parent]!)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Removes and returns the earliest if it is due. */
  takeDue(now: number): { at: number; value: T } | undefined {
    const entries = this.#entries;
    const first = entries[0];
    if (!first || first.at > now) return undefined;
    const last = entries.pop()!;
    if (entries.length > 0) {
      entries[0] = last;
      this.#sink();
    }
    return first;
  }

  clear(): void {
    this.#entries = [];
  }

  #sink(): void {
    const entries = this.#entries;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      let least = index;
      if (left < entries.length && isBefore(entries[left]!, entries[least]!)) least = left;
      if (left + 1 < entries.length && isBefore(entries[left + 1]!, entries[least]!)) least = left + 1;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #swap(a: number, b: number): void {
    const entries = this.#entries;
    const kept = entries[a]!;
    entries[a] = entries[b]!;
    entries[b] = kept;
  }
}
