/** The shapes of instances, by the class and the type that their tags and EC2 name. */
import type { State } from '../../state/contract.ts';
import type { Instance } from '../contract.ts';
import { ShapeStore, type TypeIndex } from '../shape-store.ts';
import { isOnNodes } from './catalog/labels.ts';
import { type OwnedMachine, toInstance } from './instance.ts';
import { ec2Tags } from './tags.ts';

export class Shapes {
  readonly #store: ShapeStore;

  constructor(state: State, scope: string) {
    this.#store = new ShapeStore(state, `ec2/shape/${scope}`, isOnNodes);
  }

  learn(className: string, types: TypeIndex): void {
    this.#store.learn(className, types);
  }

  keep(className: string, type: string): Promise<void> {
    return this.#store.keep(className, type);
  }

  async instanceOf(machine: OwnedMachine): Promise<Instance> {
    const { tags, offering } = machine;
    return toInstance(machine, await this.#store.of(tags[ec2Tags.nodeClass], offering.instanceType));
  }
}
