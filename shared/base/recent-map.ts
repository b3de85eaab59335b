/**
 * A map that holds so many entries and no more: for a new one, the one goes that was not asked for or set for the longest time. Every
 * function loads this before it can act, so it does only what is used here.
 */
export interface RecentMapOptions<V> {
  max: number;
  /** Gets what leaves the map, for whatever reason. */
  dispose?: (value: V) => void;
  /** Entries are gone this long after they were set. */
  forget?: { afterMs: number; now: () => number };
}

export class RecentMap<K, V> {
  /** A map keeps the order in which keys were added: the first one is the one to go. */
  readonly #entries = new Map<K, { value: V; setAt: number }>();
  readonly #options: RecentMapOptions<V>;

  constructor(options: RecentMapOptions<V>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const found = this.#live(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found.value;
  }

  /** Does not count as asking for it. */
  has(key: K): boolean {
    return this.#live(key) !== undefined;
  }

  set(key: K, value: V): void {
    const before = this.#entries.get(key);
    this.#entries.delete(key);
    this.#entries.set(key, { value, setAt: this.#options.forget?.now() ?? 0 });
    if (before !== undefined && before.value !== value) this.#options.dispose?.(before.value);
    if (this.#entries.size <= this.#options.max) return;
    for (const oldest of this.#entries.keys()) {
      this.delete(oldest);
      return;
    }
  }

  delete(key: K): void {
    const found = this.#entries.get(key);
    if (found === undefined) return;
    this.#entries.delete(key);
    this.#options.dispose?.(found.value);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  /** May be changed while it is read. */
  *entries(): Generator<[K, V]> {
    for (const [key, { value }] of [...this.#entries]) yield [key, value];
  }

  #live(key: K): { value: V; setAt: number } | undefined {
    const found = this.#entries.get(key);
    const { forget } = this.#options;
    if (found === undefined || forget === undefined || forget.now() - found.setAt <= forget.afterMs) return found;
    this.delete(key);
    return undefined;
  }
}
