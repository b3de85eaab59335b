/**
 * Groups take turns: each gives one message, then the next group does, and the following receive goes on after the group that
 * gave last. So a group waits for as many messages as there are groups, however many messages another one has.
 */
import type { Room } from '../contract.ts';

export class Turns {
  #last: string | undefined;

  /**
   * @param groups Those that may have something, in order.
   * @param take One message of the group, if it has one that is due.
   */
  deal<T>(groups: readonly string[], max: number, room: Room | undefined, take: (group: string) => T | 'none'): T[] {
    const dealt: T[] = [];
    let ring = this.#inTurn(groups).map((group) => ({ group, left: room?.(group) ?? max }));
    while (ring.length > 0 && dealt.length < max) {
      const going: typeof ring = [];
      for (const one of ring) {
        if (dealt.length === max) break;
        const taken = one.left > 0 ? take(one.group) : 'none';
        if (taken === 'none') continue;
        dealt.push(taken);
        this.#last = one.group;
        one.left -= 1;
        going.push(one);
      }
      ring = going;
    }
    return dealt;
  }

  #inTurn(groups: readonly string[]): string[] {
    const last = this.#last;
    const next = last === undefined ? 0 : groups.findIndex((group) => group > last);
    return next <= 0 ? [...groups] : [...groups.slice(next), ...groups.slice(0, next)];
  }
}
