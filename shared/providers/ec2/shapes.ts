/**
 * What the catalog said about the types that machines were made of: capacity, what is left for pods, labels. EC2 does not tell
 * it with an instance, and the class may have changed since; so it is kept with the launch, in memory and in state, where
 * another process finds it.
 */
import { RecentMap } from '../../base/recent-map.ts';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import type { ResourceList } from '../../nodes/claims/spec/types.ts';
import type { State } from '../../state/contract.ts';
import type { Instance } from '../contract.ts';
import { isOnNodes } from './catalog/labels.ts';
import { type Machine, type OwnedMachine, type Shape, toInstance } from './instance.ts';
import { ec2Tags } from './tags.ts';

export type TypeIndex = ReadonlyMap<string, InstanceType>;

/** What is sold to machines of a class, both ways. */
export interface SoldTypes {
  list: readonly InstanceType[];
  byName: TypeIndex;
}

const keptSeconds = 90 * 86_400;

export class Shapes {
  readonly #state: State;
  readonly #scope: string;
  readonly #sold = new RecentMap<string, TypeIndex>({ max: 100 });
  readonly #known = new RecentMap<string, Shape>({ max: 5000 });
  readonly #kept = new RecentMap<string, string>({ max: 1000 });

  constructor(state: State, scope: string) {
    this.#state = state;
    this.#scope = scope;
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
    const shape = shapeOf(sold);
    this.#known.set(key, shape);
    const text = JSON.stringify(shape);
    if (this.#kept.get(key) === text) return;
    this.#kept.set(key, text);
    await this.#state.put(key, { ...shape }, { ttlSeconds: keptSeconds }).catch(() => this.#kept.delete(key));
  }

  async instanceOf(machine: OwnedMachine): Promise<Instance> {
    return toInstance(machine, await this.#of(machine));
  }

  async #of({ tags, offering }: Machine): Promise<Shape | undefined> {
    const className = tags[ec2Tags.nodeClass];
    if (className === undefined) return undefined;
    const key = this.#key(className, offering.instanceType);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const sold = this.#sold.get(className)?.get(offering.instanceType);
    if (sold !== undefined) {
      this.#known.set(key, shapeOf(sold));
      return shapeOf(sold);
    }
    // It makes a claim's status fuller; a store that does not answer holds up nothing.
    const entry = await this.#state.get<Shape & { [key: string]: never }>(key).catch(() => undefined);
    if (entry !== undefined) this.#known.set(key, entry.value);
    return entry?.value;
  }

  #key(className: string, type: string): string {
    return `ec2/shape/${this.#scope}/${className}/${type}`;
  }
}

const texts = (resources: ResourceList): Record<string, string> =>
  Object.fromEntries(Object.entries(resources).map(([key, value]) => [key, String(value)]));

const shapeOf = ({ capacity, allocatable, labels }: InstanceType): Shape => ({
  capacity: texts(capacity),
  ...(allocatable === undefined ? {} : { allocatable: texts(allocatable) }),
  labels: Object.fromEntries(Object.entries(labels).filter(([key]) => isOnNodes(key))),
});
