/**
 * What the catalog said about the types that machines were made of: capacity, what is left for pods, labels. A cloud does not tell
 * it with a machine, and the class may have changed since; so it is kept with the launch, in memory and in state, where another
 * process finds it.
 */
import { RecentMap } from '../base/recent-map.ts';
import type { InstanceType } from '../nodes/claims/choice/offerings.ts';
import type { ResourceList } from '../nodes/claims/spec/types.ts';
import type { State } from '../state/contract.ts';

export type TypeIndex = ReadonlyMap<string, InstanceType>;

/** What is sold to machines of a class, both ways. */
export interface SoldTypes {
  list: readonly InstanceType[];
  byName: TypeIndex;
}

/** What the catalog knows about a machine of its type and class. */
export interface Shape {
  capacity: Record<string, string>;
  allocatable?: Record<string, string>;
  labels: Record<string, string>;
}

const keptSeconds = 90 * 86_400;

export class ShapeStore {
  readonly #state: State;
  readonly #prefix: string;
  readonly #isOnNodes: (label: string) => boolean;
  readonly #sold = new RecentMap<string, TypeIndex>({ max: 100 });
  readonly #known = new RecentMap<string, Shape>({ max: 5000 });
  readonly #kept = new RecentMap<string, string>({ max: 1000 });

  /**
   * @param prefix Of the keys in state: accounts and clusters share nothing.
   * @param isOnNodes Which labels of a type its Nodes carry.
   */
  constructor(state: State, prefix: string, isOnNodes: (label: string) => boolean) {
    this.#state = state;
    this.#prefix = prefix;
    this.#isOnNodes = isOnNodes;
  }

  /** What is sold to machines of this class, as far as this process knows. */
  learn(className: string, types: TypeIndex): void {
    this.#sold.set(className, types);
  }

  /** One was made of it: other processes will ask. */
  async keep(className: string, type: string): Promise<void> {
    const key = this.#key(className, type);
    const sold = this.#sold.get(className)?.get(type);
    if (sold === undefined) return;
    const shape = this.#shapeOf(sold);
    this.#known.set(key, shape);
    const text = JSON.stringify(shape);
    if (this.#kept.get(key) === text) return;
    this.#kept.set(key, text);
    await this.#state.put(key, { ...shape }, { ttlSeconds: keptSeconds }).catch(() => this.#kept.delete(key));
  }

  async of(className: string | undefined, type: string): Promise<Shape | undefined> {
    if (className === undefined) return undefined;
    const key = this.#key(className, type);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const sold = this.#sold.get(className)?.get(type);
    if (sold !== undefined) {
      const shape = this.#shapeOf(sold);
      this.#known.set(key, shape);
      return shape;
    }
    // It makes a claim's status fuller; a store that does not answer holds up nothing.
    const entry = await this.#state.get<Shape & { [key: string]: never }>(key).catch(() => undefined);
    if (entry !== undefined) this.#known.set(key, entry.value);
    return entry?.value;
  }

  #shapeOf({ capacity, allocatable, labels }: InstanceType): Shape {
    return {
      capacity: texts(capacity),
      ...(allocatable === undefined ? {} : { allocatable: texts(allocatable) }),
      labels: Object.fromEntries(Object.entries(labels).filter(([key]) => this.#isOnNodes(key))),
    };
  }

  #key(className: string, type: string): string {
    return `${this.#prefix}/${className}/${type}`;
  }
}

const texts = (resources: ResourceList): Record<string, string> =>
  Object.fromEntries(Object.entries(resources).map(([key, value]) => [key, String(value)]));
