/** What a person reads while a node drains. The same state has the same words, so that it is written once. Pure. */
import { defined } from '../../../base/defined.ts';
import { toWireTime } from '../../../kube/conditions.ts';

const maxNamed = 3;

/** Why a pod is still there. */
export type Held = {
  pod: string;
  why: string;
  /** The reason of the Event that tells of it. */
  reason?: HoldReason;
  /** `namespace/name` of the PodDisruptionBudget that holds it. */
  budget?: string;
};

/** Stable: people write alerts on them. */
export type HoldReason =
  | 'BudgetsOverlap'
  | 'EvictionRefused'
  | 'EvictionFailed'
  | 'PodsNotToBeDisrupted'
  | 'DrainFailed';

/** Of pods as many as are named; `heldBy` has the reasons of all. */
export type DrainFields = {
  node: string;
  left: number;
  held: Held[];
  moreHeld: number;
  leaving: string[];
  moreLeaving: number;
  heldBy: HoldReason[];
  /** When what is left is deleted. */
  deadline?: number;
};

export function drainFields(
  node: string,
  { left, held, leaving }: { left: number; held: readonly Held[]; leaving: readonly string[] },
  deadline: number | undefined,
): DrainFields {
  const heldBy = new Set(held.flatMap(({ reason }) => (reason === undefined ? [] : [reason])));
  return {
    node,
    left,
    held: held.slice(0, maxNamed),
    moreHeld: Math.max(0, held.length - maxNamed),
    leaving: leaving.slice(0, maxNamed),
    moreLeaving: Math.max(0, leaving.length - maxNamed),
    heldBy: [...heldBy],
    ...defined({ deadline }),
  };
}

export function drainingText({ node, left, held, moreHeld, leaving, moreLeaving, deadline }: DrainFields): string {
  const parts = [`node ${node} has ${count(left, 'pod')} left to evict`];
  if (held.length > 0) parts.push(`${held.map(holdText).join(', ')}${andMore(moreHeld)}`);
  if (leaving.length > 0) parts.push(`terminating: ${leaving.join(', ')}${andMore(moreLeaving)}`);
  return [...parts, limit(deadline)].join('; ');
}

const andMore = (more: number): string => (more > 0 ? ` and ${more} more` : '');

const named = (items: readonly string[]): string =>
  `${items.slice(0, maxNamed).join(', ')}${andMore(items.length - maxNamed)}`;

export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

const endless = 'the claim has no terminationGracePeriod, so there is no time limit';

/** How long it can go on, and what would end it. */
const limit = (deadline: number | undefined): string =>
  deadline === undefined ? endless : `remaining pods are deleted by ${toWireTime(deadline)}`;

const holdText = ({ pod, why }: Held): string => `${pod} ${why}`;

export const heldText = (node: string, held: readonly Held[], deadline: number | undefined): string =>
  `on node ${node}, ${named(held.map(holdText))}; ${limit(deadline)}`;

export const volumesText = (node: string, volumes: readonly string[], deadline: number | undefined): string => {
  const until = deadline === undefined ? endless : `the wait ends at ${toWireTime(deadline)}`;
  return `${count(volumes.length, 'volume')} still attached to node ${node}: ${named(volumes)}; ${until}`;
};
