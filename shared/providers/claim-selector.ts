/**
 * Which claims a provider means, as data: so a provider in another process can say it once, and nothing has to be asked per claim.
 * A selector is a list of terms; a claim is selected when all that one of the terms says holds. An empty list selects no claim.
 *
 * @example
 * const ofKaito: ClaimSelector = [{ kinds: ['KaitoNodeClass'] }, { hasLabels: ['kaito.sh/workspace'] }];
 */
import type { NodeClassRef } from '../nodes/claims/spec/types.ts';

export interface ClaimTerm {
  /** The kind of the claim's node class is one of these. */
  kinds?: readonly string[];
  notKinds?: readonly string[];
  /** The claim carries all of these labels, whatever their values. */
  hasLabels?: readonly string[];
  lacksLabels?: readonly string[];
  /** Each annotation has one of the values. */
  annotations?: Readonly<Record<string, readonly string[]>>;
}

export type ClaimSelector = readonly ClaimTerm[];

/** What a selector looks at. */
export interface ServedClaim {
  nodeClassRef: NodeClassRef;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/** An absent selector selects every claim. */
export const selects = (selector: ClaimSelector | undefined, claim: ServedClaim): boolean =>
  selector === undefined || selector.some((term) => holds(term, claim));

function holds(term: ClaimTerm, { nodeClassRef, labels, annotations }: ServedClaim): boolean {
  const { kind } = nodeClassRef;
  return (
    (term.kinds === undefined || term.kinds.includes(kind)) &&
    !term.notKinds?.includes(kind) &&
    (term.hasLabels ?? []).every((label) => labels[label] !== undefined) &&
    (term.lacksLabels ?? []).every((label) => labels[label] === undefined) &&
    Object.entries(term.annotations ?? {}).every(([key, values]) => values.includes(annotations[key] ?? ''))
  );
}
