/** What holds a pod, from the API server's answer. Pure. */
import type { Held } from '../../steps/report/drain-text.ts';

/** The budget's name stands only in the server's words. */
const budgetName = /disruption budget "?([a-z0-9][a-z0-9.-]*[a-z0-9]|[a-z0-9])"? /;
const budgetNeeds = /needs (\d+) healthy pods? and has (\d+)/;

/** A budget that allows nothing now, from the API server's answer. */
export function heldByBudget(pod: string, said: string): Held {
  const name = budgetName.exec(said)?.[1];
  if (name === undefined) return { pod, why: `cannot be evicted now: ${said}` };
  const [, needs, has] = budgetNeeds.exec(said) ?? [];
  const numbers = needs === undefined ? '' : ` (it needs ${needs} healthy and has ${has})`;
  const namespace = pod.slice(0, pod.indexOf('/'));
  const budget = `${namespace}/${name}`;
  return {
    pod,
    why: `is protected by PodDisruptionBudget ${budget}, which currently allows no disruption${numbers}`,
    budget,
  };
}

/** No eviction of such a pod ever succeeds, so somebody has to act. */
export const heldByBudgets = (pod: string): Held => ({
  pod,
  why: 'is selected by more than one PodDisruptionBudget, so Kubernetes never evicts it: keep one budget, or delete the pod',
});
