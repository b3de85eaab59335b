/** What is wrong with a pool, beyond what its CRD refuses: an older CRD may have let it in. */
import { type Problem, quoteInput } from '../../base/problems.ts';
import { parseQuantity, toNumber } from '../claims/spec/quantities.ts';
import { wishProblems } from '../claims/spec/validate-claim.ts';
import { budgetProblems, defaultBudgets } from '../disruption/budgets.ts';
import type { StoredPool } from '../disruption/types.ts';

export const longestLabelValue = 63;

/** Where the configuration says nothing else: a slip of the finger must not become ten thousand machines. */
export const usualMaxReplicas = 10_000;

/** All of them, for the condition of the pool. */
export const poolProblems = (pool: StoredPool, maxReplicas?: number): Problem[] => [
  ...wishesProblems(pool, maxReplicas),
  ...budgetProblems(pool.spec.disruption?.budgets ?? defaultBudgets),
];

/**
 * Those after which nobody knows which claims are wanted. Budgets are not among them: one that can't be read keeps nodes
 * from being replaced, but a pool that has lost its nodes gets them back.
 */
export function wishesProblems({ metadata, spec }: StoredPool, maxReplicas?: number): Problem[] {
  const { template, replicas, limits } = spec;
  const problems = wishProblems({ ...template.spec }, 'spec.template.spec');
  const names: [string, string][] = [
    ['metadata.name', metadata.name],
    ['spec.template.spec.nodeClassRef.name', template.spec.nodeClassRef.name],
  ];
  for (const [path, name] of names) {
    if (name.length <= longestLabelValue) continue;
    const message = `it has ${name.length} characters; claims and nodes carry it as a label value, which allows at most ${longestLabelValue}`;
    problems.push({ path, message });
  }
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0)) {
    problems.push({ path: 'spec.replicas', message: `${quoteInput(replicas)} is not a whole number of nodes` });
  }
  problems.push(...replicasProblems(replicas, maxReplicas));
  if (limits?.nodes !== undefined && nodeLimit(spec) === undefined) {
    problems.push({ path: 'spec.limits.nodes', message: `${quoteInput(limits.nodes)} is not a number of nodes` });
  }
  return problems;
}

/** Also for objects that nobody has checked yet. */
export function replicasProblems(replicas: unknown, maxReplicas = usualMaxReplicas): Problem[] {
  if (typeof replicas !== 'number' || replicas <= maxReplicas) return [];
  const message = `${replicas} is more than the ${maxReplicas} nodes that the host allows for one pool (maxReplicas of the cluster in its configuration); no claims are created or deleted`;
  return [{ path: 'spec.replicas', message }];
}

/** `limits.nodes`, rounded down; undefined when there is none. */
export function nodeLimit({ limits }: StoredPool['spec']): number | undefined {
  if (limits?.nodes === undefined) return undefined;
  const parsed = parseQuantity(limits.nodes);
  return parsed.ok ? Math.floor(toNumber(parsed.value)) : undefined;
}
