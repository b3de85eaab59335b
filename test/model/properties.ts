/** What must hold. Bits, because one step may break several. */
import { phaseOf } from '../../shared/nodes/claims/attempt/attempt.ts';
import { alive, type State, slotOf } from './state.ts';

export const property = {
  /** Never two live instances. */
  P1: 1,
  /** When all is quiet, no instance without a claim. */
  P2: 2,
  /** When all is quiet, a claim is Ready with exactly its instance, or failed with none, or says that it can't be read. */
  P3: 4,
  /** The finalizer never goes while an instance exists or may still appear. */
  P4: 8,
  /** We never delete the instance of a Ready claim, nor give it up. */
  P5: 16,
  /** A Ready instance belongs to the recorded attempt, which is open, and to its offering. */
  P6: 32,
  /** From every state, quiet can be reached. */
  live: 64,
} as const;

export type Property = keyof typeof property;

export const namesOf = (bits: number): Property[] =>
  (Object.keys(property) as Property[]).filter((name) => bits & property[name]);

export const bitsOf = (names: readonly Property[]): number => names.reduce((bits, name) => bits | property[name], 0);

const count = (s: State): number => s.cloud.slots.reduce((sum, instance) => sum + (alive(instance) ? 1 : 0), 0);

export const brokenAt = (s: State): number => (count(s) > 1 ? property.P1 : 0);

/** Judged where nothing is left to do. */
export function brokenWhenQuiet(s: State): number {
  const { claim } = s;
  const instances = count(s);
  if (!claim) return instances > 0 ? property.P2 : 0;
  if (claim.deleting) return property.P3;
  if (claim.unreadable) return instances > 1 ? property.P3 : 0;
  switch (phaseOf(claim)) {
    case 'ready':
      return instances === 1 && s.cloud.slots[slotOf(claim.providerID)]?.state === 'live' ? 0 : property.P3;
    case 'failed':
      return instances === 0 && !claim.launched ? 0 : property.P3;
    default:
      return property.P3;
  }
}
