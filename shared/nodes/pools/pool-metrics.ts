/** What the metrics say about a NodePool: its resources, its limits, and what its budgets allow. */
import type { Metrics } from '../../observe/metrics.ts';
import { parseQuantity } from '../claims/spec/quantities.ts';
import { toNumber } from '../claims/spec/quantity-number.ts';
import { allowance, defaultBudgets } from '../disruption/budgets.ts';
import type { StoredPool } from '../disruption/types.ts';

export interface PoolUsage {
  nodes: number;
  resources: Readonly<Record<string, string>>;
}

export function reportPool(metrics: Metrics, cluster: string, pool: StoredPool, usage: PoolUsage, now: number): void {
  const group = `${cluster}/${pool.metadata.name}`;
  const nodepool = metrics.nodePool(pool.metadata.name);
  const samples = (amounts: Readonly<Record<string, string | number>>) =>
    Object.entries(amounts).flatMap(([name, text]) => {
      const parsed = parseQuantity(text);
      const labels = { nodepool, resource_type: metrics.resourceType(name), cluster };
      return parsed.ok ? [{ labels, value: toNumber(parsed.value) }] : [];
    });
  metrics.poolUsage.replace(group, samples(usage.resources));
  metrics.poolLimit.replace(group, samples(pool.spec.limits ?? {}));
  const { nodes } = allowance(pool.spec.disruption?.budgets ?? defaultBudgets, 'Drifted', usage.nodes, now);
  // Without an active budget all of them may go.
  const value = Math.min(nodes, usage.nodes);
  metrics.poolAllowedDisruptions.replace(group, [{ labels: { nodepool, reason: 'drifted', cluster }, value }]);
}

export function forgetPool(metrics: Metrics, cluster: string, name: string): void {
  const group = `${cluster}/${name}`;
  metrics.poolUsage.replace(group, []);
  metrics.poolLimit.replace(group, []);
  metrics.poolAllowedDisruptions.replace(group, []);
}
