/** Shares a consumer's handlers between groups (clusters): no group has more than its part; what is over stays on the queue. */
import type { Room } from './contract.ts';

export class FairShare {
  readonly #running = new Map<string, number>();
  readonly #perGroup: number;

  constructor(perGroup: number) {
    this.#perGroup = perGroup;
  }

  readonly room: Room = (group) => this.#perGroup - (this.#running.get(group) ?? 0);

  began(group: string): void {
    this.#running.set(group, (this.#running.get(group) ?? 0) + 1);
  }

  ended(group: string): void {
    const left = (this.#running.get(group) ?? 0) - 1;
    if (left > 0) this.#running.set(group, left);
    else this.#running.delete(group);
  }
}
