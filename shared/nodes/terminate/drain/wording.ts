/** What a person reads while a node drains. The same state has the same words, so that it is written once. Pure. */
import { toWireTime } from '../../../kube/conditions.ts';
import type { Held } from './plan.ts';

const maxNamed = 3;

const named = (items: readonly string[]): string => {
  const more = items.length - maxNamed;
  return `${items.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

const endless = 'the claim has no terminationGracePeriod, so this takes as long as it takes';

/** How long it can go on, and what would end it. */
const limit = (deadline: number | undefined): string =>
  deadline === undefined ? endless : `what is left is deleted by ${toWireTime(deadline)}`;

const why = (held: readonly Held[]): string => named(held.map((one) => `${one.pod} ${one.why}`));

export function drainingText(
  node: string,
  round: { left: number; held: readonly Held[]; leaving: readonly string[] },
  deadline: number | undefined,
): string {
  const parts = [`node ${node} has ${count(round.left, 'pod')} to lose`];
  if (round.held.length > 0) parts.push(why(round.held));
  if (round.leaving.length > 0) parts.push(`leaving: ${named(round.leaving)}`);
  return [...parts, limit(deadline)].join('; ');
}

export const heldText = (node: string, held: readonly Held[], deadline: number | undefined): string =>
  `on node ${node}, ${why(held)}; ${limit(deadline)}`;

export const volumesText = (node: string, volumes: readonly string[], deadline: number | undefined): string => {
  const until = deadline === undefined ? endless : `it is not waited for after ${toWireTime(deadline)}`;
  return `${count(volumes.length, 'volume')} to be detached from node ${node}: ${named(volumes)}; ${until}`;
};

/** The budget's name stands only in the server's words. */
const budgetName = /disruption budget "?([a-z0-9][a-z0-9.-]*[a-z0-9]|[a-z0-9])"? /;
const budgetNeeds = /needs (\d+) healthy pods? and has (\d+)/;

/** A budget that allows nothing now, from the API server's answer. */
export function heldByBudget(pod: string, said: string): Held {
  const name = budgetName.exec(said)?.[1];
  if (name === undefined) return { pod, why: `may not be evicted now: ${said}` };
  const [, needs, has] = budgetNeeds.exec(said) ?? [];
  const numbers = needs === undefined ? '' : ` (it needs ${needs} healthy and has ${has})`;
  const namespace = pod.slice(0, pod.indexOf('/'));
  return { pod, why: `is held by PodDisruptionBudget ${namespace}/${name}, which allows no disruption now${numbers}` };
}

/** No eviction of such a pod ever succeeds, so somebody has to act. */
export const heldByBudgets = (pod: string): Held => ({
  pod,
  why: 'is selected by more than one PodDisruptionBudget, so Kubernetes evicts it never: leave it one of them, or delete the pod',
});
