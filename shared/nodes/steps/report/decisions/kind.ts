/** What a kind of decision is: the step that takes it, its fields, and the sentence that is made of them when somebody reads it. */
import type { Json } from '../../../../base/json.ts';
import type { CapacityType } from '../../../claims/spec/well-known.ts';

export type Fields = { [field: string]: Json };

export interface DecisionKind<F extends Fields> {
  step: string;
  text(fields: F): string;
  /** What two of them have in common where the one only repeats the other. Without it: everything but the attempt. */
  round?(fields: F): Json;
}

/**
 * Codes are never renamed, and fields neither renamed nor given another meaning: entries stay in a data directory, and a host of another
 * version may read them.
 */
export const kind = <F extends Fields>(one: DecisionKind<F>): DecisionKind<F> => one;

/** The names of `OfferingRef`, as plain data. */
export type OfferingFields = { instanceType: string; zone: string; capacityType: CapacityType; price?: number };
