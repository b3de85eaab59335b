/** How many nodes of which size a request needs at once, and how many at most. */
import type { Resolved } from '../resolved/resolve.ts';

export interface Demand {
  /** For people: `system pool`. */
  what: string;
  size: string;
  /** Of the request: where the size is named. */
  field: string;
  zones: readonly string[];
  /** When the cluster is created. */
  now: number;
  /** With everything that may come: autoscaling, and the extra nodes of an upgrade. */
  most: number;
}

/** AKS adds a tenth of a pool, and at least one node, while it upgrades it. */
const withSurge = (count: number): number => (count === 0 ? 0 : count + Math.max(1, Math.ceil(count / 10)));

export function demandOf({ systemPool, nodePool, nodes }: Resolved): Demand[] {
  const system: Demand = {
    what: 'system pool',
    size: systemPool.vmSize,
    field: 'spec.systemPool.vmSize',
    zones: systemPool.zones,
    now: systemPool.count,
    most: withSurge(systemPool.count),
  };
  const [size] = nodePool.vmSizes;
  if (size === undefined) return [system];
  const pool = { size, field: 'spec.nodePool.vmSizes', zones: nodePool.zones };
  const { minCount, maxCount, replicas } = nodePool;
  if (nodes === 'agentPools') {
    return [system, { ...pool, what: 'agent pool', now: minCount, most: withSurge(maxCount) }];
  }
  if (nodes === 'poolwright') return [system, { ...pool, what: 'static pool', now: replicas, most: replicas }];
  // Pods decide; a pool that can't have a single node is of no use.
  return [system, { ...pool, what: 'node pool', now: 0, most: 1 }];
}
