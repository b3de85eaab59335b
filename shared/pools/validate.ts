/** What is wrong with a pool, beyond what its CRD refuses: an older CRD may have let it in. */
import { type Problem, quoteInput } from '../claims/problems.ts';
import { parseQuantity, toNumber } from '../claims/quantities.ts';
import { wishProblems } from '../claims/validate-claim.ts';
import { budgetProblems, defaultBudgets } from './budgets.ts';
import type { StoredPool } from './types.ts';

export function poolProblems({ spec }: StoredPool, now: number): Problem[] {
  const { template, replicas, limits, disruption } = spec;
  const problems = wishProblems({ ...template.spec }, 'spec.template.spec');
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0)) {
    problems.push({ path: 'spec.replicas', message: `${quoteInput(replicas)} is no whole number of nodes` });
  }
  if (limits?.nodes !== undefined && nodeLimit(spec) === undefined) {
    problems.push({ path: 'spec.limits.nodes', message: `${quoteInput(limits.nodes)} is no number of nodes` });
  }
  problems.push(...budgetProblems(disruption?.budgets ?? defaultBudgets, now));
  return problems;
}

/** `limits.nodes`, rounded down; undefined when there is none. */
export function nodeLimit({ limits }: StoredPool['spec']): number | undefined {
  if (limits?.nodes === undefined) return undefined;
  const parsed = parseQuantity(limits.nodes);
  return parsed.ok ? Math.floor(toNumber(parsed.value)) : undefined;
}
