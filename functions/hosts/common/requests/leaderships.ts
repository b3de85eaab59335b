/** Who acts on which cluster, where clusters come and go at run time: each that came later has a leadership of its own. */
import { ok } from '../../../../shared/base/result.ts';
import type { ClusterLeadership } from '../../../../shared/ownership/standing.ts';

export interface Leaderships extends ClusterLeadership {
  add(cluster: string, leadership: ClusterLeadership): void;
  remove(cluster: string): void;
}

/** @param first Of the clusters that were there at the start. */
export function leaderships(first: ClusterLeadership): Leaderships {
  const later = new Map<string, ClusterLeadership>();
  const of = (cluster: string): ClusterLeadership => later.get(cluster) ?? first;
  return {
    standing: (cluster) => of(cluster).standing(cluster),
    renew: (cluster, signal) => of(cluster).renew(cluster, signal),
    lacks: async (cluster, signal) => of(cluster).lacks?.(cluster, signal) ?? ok([]),
    add: (cluster, leadership) => void later.set(cluster, leadership),
    remove: (cluster) => void later.delete(cluster),
  };
}
