/**
 * States, each held once. A state is a tuple of parts (the claim, the cloud, a launch, …) that most steps share, so each
 * part is kept once under a small number and a state is thirteen numbers in one flat array: exact, without hash trust.
 */
import { claimKey, type State } from './state.ts';

const parts = [
  'claim',
  'snapshot',
  'cloud',
  'writes',
  'first',
  'second',
  'terminate',
  'secondTerminate',
  'person',
  'collector',
  'world',
  'wishes',
  'budget',
] as const satisfies readonly (keyof State)[];

const width = parts.length;

/** Gives equal parts the same number and the same object. */
class Parts<T extends object | null> {
  readonly #numbers = new Map<T, number>();
  readonly #byKey = new Map<string, number>();
  readonly #values: T[] = [];
  readonly #keyOf: (part: T) => string;

  constructor(keyOf: (part: T) => string) {
    this.#keyOf = keyOf;
  }

  numberOf(part: T): number {
    const known = this.#numbers.get(part);
    if (known !== undefined) return known;
    const key = part === null ? '' : this.#keyOf(part);
    let number = this.#byKey.get(key);
    if (number === undefined) {
      number = this.#values.push(part) - 1;
      this.#byKey.set(key, number);
      this.#numbers.set(part, number);
    }
    return number;
  }

  at(number: number): T {
    return this.#values[number] as T;
  }
}

export class StateStore {
  readonly #tables: Record<(typeof parts)[number], Parts<never>>;
  #tuples = new Int32Array(width << 12);
  #buckets = new Int32Array(1 << 13).fill(-1);
  readonly #scratch = new Int32Array(width);
  size = 0;

  constructor() {
    const table = (): Parts<never> => new Parts<never>((part) => JSON.stringify(part));
    const claims = new Parts<never>((claim) => claimKey(claim));
    // The claim and its backup share a table: "the backup says the same" is then a comparison of objects.
    this.#tables = {
      ...{ claim: claims, snapshot: claims, cloud: table(), writes: table(), first: table(), second: table() },
      ...{
        terminate: table(),
        secondTerminate: table(),
        person: table(),
        collector: table(),
        world: table(),
        wishes: table(),
        budget: table(),
      },
    };
  }

  /** The number of a state, and whether it is new. */
  add(state: State): { id: number; isNew: boolean } {
    const tuple = this.#scratch;
    let hash = 0x811c9dc5;
    for (let i = 0; i < width; i++) {
      const part = parts[i]!;
      const number = this.#tables[part].numberOf(state[part] as never);
      tuple[i] = number;
      hash = Math.imul(hash ^ number, 0x01000193);
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    }
    let bucket = (hash ^ (hash >>> 13)) & (this.#buckets.length - 1);
    for (let id = this.#buckets[bucket]!; id >= 0; id = this.#buckets[bucket]!) {
      if (this.#holds(id, tuple)) return { id, isNew: false };
      bucket = (bucket + 1) & (this.#buckets.length - 1);
    }
    const id = this.#append(tuple);
    this.#buckets[bucket] = id;
    if (this.size * 2 > this.#buckets.length) this.#rehash();
    return { id, isNew: true };
  }

  get(id: number): State {
    const part = <K extends keyof State>(index: number): State[K] =>
      this.#tables[parts[index]!].at(this.#tuples[id * width + index]!);
    return {
      claim: part<'claim'>(0),
      snapshot: part<'snapshot'>(1),
      cloud: part<'cloud'>(2),
      writes: part<'writes'>(3),
      first: part<'first'>(4),
      second: part<'second'>(5),
      terminate: part<'terminate'>(6),
      secondTerminate: part<'secondTerminate'>(7),
      person: part<'person'>(8),
      collector: part<'collector'>(9),
      world: part<'world'>(10),
      wishes: part<'wishes'>(11),
      budget: part<'budget'>(12),
    };
  }

  #holds(id: number, tuple: Int32Array): boolean {
    const start = id * width;
    for (let i = 0; i < width; i++) if (this.#tuples[start + i] !== tuple[i]) return false;
    return true;
  }

  #append(tuple: Int32Array): number {
    if ((this.size + 1) * width > this.#tuples.length) {
      const grown = new Int32Array(this.#tuples.length * 2);
      grown.set(this.#tuples);
      this.#tuples = grown;
    }
    this.#tuples.set(tuple, this.size * width);
    return this.size++;
  }

  #rehash(): void {
    this.#buckets = new Int32Array(this.#buckets.length * 2).fill(-1);
    const mask = this.#buckets.length - 1;
    for (let id = 0; id < this.size; id++) {
      let hash = 0x811c9dc5;
      for (let i = 0; i < width; i++) {
        hash = Math.imul(hash ^ this.#tuples[id * width + i]!, 0x01000193);
        hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
      }
      let bucket = (hash ^ (hash >>> 13)) & mask;
      while (this.#buckets[bucket]! >= 0) bucket = (bucket + 1) & mask;
      this.#buckets[bucket] = id;
    }
  }
}
