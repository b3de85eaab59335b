/** One delete call: it begins at once, or times out and lands later, or never. */
import { phaseOf } from '../../shared/nodes/claims/attempt/attempt.ts';
import { withSlot } from './cloud.ts';
import { property } from './properties.ts';
import type { Setup } from './setup.ts';
import { providerIDOf, type State, slotOf } from './state.ts';

export interface Deleted {
  state: State;
  label: 'begun' | 'late';
  violated: number;
}

export function beginDelete(setup: Setup, s: State, slot: number): Deleted[] {
  const instance = s.cloud.slots[slot];
  if (!instance) return [];
  const ways: Deleted[] = [{ ...deleteNow(s, slot), label: 'begun' }];
  if (instance.state === 'live' && s.budget.lateDelete > 0 && !s.cloud.lateDelete) {
    const budget = { ...s.budget, lateDelete: s.budget.lateDelete - 1 };
    const cloud = { ...s.cloud, lateDelete: { slot, attempt: setup.program.deletesByTag ? instance.attempt : 0 } };
    ways.push({ state: { ...s, budget, cloud }, label: 'late', violated: 0 });
  }
  return ways;
}

/** Ready, and not yet found out to have lost its instance. */
export const isReady = ({ claim, cloud }: State): boolean =>
  claim !== null &&
  !claim.deleting &&
  phaseOf(claim) === 'ready' &&
  cloud.slots[slotOf(claim.providerID)]?.state === 'live';

/** P5 is judged where a delete takes effect. */
export function deleteNow(s: State, slot: number): { state: State; violated: number } {
  const instance = s.cloud.slots[slot];
  if (instance?.state !== 'live') return { state: s, violated: 0 };
  const ready = isReady(s) && s.claim?.providerID === providerIDOf(slot);
  return { state: withSlot(s, slot, { ...instance, state: 'deleting' }), violated: ready ? property.P5 : 0 };
}
