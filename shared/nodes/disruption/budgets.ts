/** Disruption budgets: how many nodes of a pool may be disrupted at a time. */
import { parseDuration } from '../../base/durations.ts';
import { type Problem, quoteInput } from '../../base/problems.ts';
import { isActive, scheduleFault } from './schedule.ts';
import type { Budget } from './types.ts';

/** What holds when a pool says nothing. */
export const defaultBudgets: readonly Budget[] = [{ nodes: '10%' }];

export interface Allowance {
  /** Nodes that may be disrupted at one time, whatever is being disrupted already. */
  nodes: number;
  /** The budget that decides, in words; undefined when none is active. */
  because?: string;
}

/**
 * The strictest of the active budgets that speak of the reason. A percentage rounds up, so that a small pool is not stuck
 * for ever; a budget that can't be read allows nothing, because nobody knows what was meant.
 */
export function allowance(budgets: readonly Budget[], reason: string, nodes: number, now: number): Allowance {
  let strictest: Allowance = { nodes: Number.POSITIVE_INFINITY };
  for (const budget of budgets) {
    const { reasons } = budget;
    if (reasons !== undefined && reasons.length > 0 && !reasons.includes(reason)) continue;
    const one = allowedBy(budget, nodes, now);
    if (one !== undefined && one.nodes < strictest.nodes) strictest = one;
  }
  return strictest;
}

/** Undefined when the budget does not hold now. */
function allowedBy(budget: Budget, nodes: number, now: number): Allowance | undefined {
  const problem = budgetProblem(budget);
  if (problem !== undefined) return { nodes: 0, because: `a budget is invalid: ${problem}` };
  const words = describeBudget(budget);
  if (budget.schedule !== undefined) {
    const held = isActive(budget.schedule, durationOf(budget), now);
    if (!held.ok || !held.active) return undefined;
  }
  const percent = /^(\d+)%$/.exec(budget.nodes)?.[1];
  const allowed = percent === undefined ? Number(budget.nodes) : Math.ceil((nodes * Number(percent)) / 100);
  return { nodes: allowed, because: words };
}

const describeBudget = ({ nodes, schedule, duration }: Budget): string =>
  schedule === undefined ? `budget ${nodes}` : `budget ${nodes} of schedule "${schedule}" for ${duration}`;

const durationOf = ({ duration }: Budget): number => {
  const parsed = parseDuration(duration ?? '');
  return parsed.ok ? parsed.milliseconds : 0;
};

function budgetProblem({ nodes, schedule, duration }: Budget): string | undefined {
  if (typeof nodes !== 'string' || !/^((100|[0-9]{1,2})%|[0-9]+)$/.test(nodes)) {
    return `nodes is ${quoteInput(nodes)}; it must be a number such as 3, or a percentage such as 10%`;
  }
  if (schedule === undefined && duration === undefined) return undefined;
  if (schedule === undefined || duration === undefined) return 'schedule and duration must be set together';
  if (typeof duration !== 'string' || !parseDuration(duration).ok) return `${quoteInput(duration)} is not a duration`;
  const fault = scheduleFault(String(schedule));
  return fault === undefined ? undefined : `${quoteInput(schedule)} is not a schedule: ${fault}`;
}

/** For the pool's condition: what is wrong with its budgets. */
export function budgetProblems(budgets: readonly Budget[]): Problem[] {
  return budgets.flatMap((budget, index) => {
    const message = budgetProblem(budget);
    return message === undefined ? [] : [{ path: `spec.disruption.budgets[${index}]`, message }];
  });
}
