/** All that the head of `top` needs of a node. */
import type { Node } from '../../../shared/nodes/claims/spec/types.ts';
import type { NodeCounts } from './summary.ts';

export interface NodeFacts {
  isReady: boolean;
  isOfClaim: boolean;
}

export const factsOf = ({ metadata, status }: Node): NodeFacts => ({
  isReady: status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
  isOfClaim: metadata.ownerReferences?.some(({ kind }) => kind === 'NodeClaim') ?? false,
});

export function countNodes(all: Iterable<NodeFacts>): NodeCounts {
  const counts = { ready: 0, total: 0, others: 0 };
  for (const { isReady, isOfClaim } of all) {
    if (!isOfClaim) counts.others++;
    else {
      counts.total++;
      if (isReady) counts.ready++;
    }
  }
  return counts;
}
