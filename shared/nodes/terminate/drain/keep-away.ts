/**
 * Keeps new pods, and load balancers, away from a node. The patch tests what it changes and nothing else, so it never meets
 * a kubelet that reports its node's state at the same moment.
 */
import { ok, type Result } from '../../../base/result.ts';
import { type JsonPatchOperation, nodes } from '../../../kube/contract.ts';
import { disruptedTaint, equalTaints } from '../../claims/spec/taints.ts';
import { labels } from '../../claims/spec/well-known.ts';
import type { StoredNode } from '../../node-objects/node-stages.ts';
import type { ClusterServices } from '../../steps/services.ts';

const label = labels.excludeFromLoadBalancers;
const labelPath = `/metadata/labels/${label.replaceAll('/', '~1')}`;

/** Empty when the node says so already. */
export function keepAwayPatch(node: StoredNode): JsonPatchOperation[] {
  const { taints } = node.spec ?? {};
  const operations: JsonPatchOperation[] = [];
  if (!taints?.some((taint) => equalTaints(taint, disruptedTaint))) {
    // Same key and effect with another value can't stand beside ours.
    const others = (taints ?? []).filter(
      ({ key, effect }) => key !== disruptedTaint.key || effect !== disruptedTaint.effect,
    );
    const before = taints?.map((taint) => ({ ...taint })) ?? null;
    operations.push({ op: 'test', path: '/spec/taints', value: before });
    operations.push({
      op: 'add',
      path: '/spec/taints',
      value: [...others, disruptedTaint].map((taint) => ({ ...taint })),
    });
  }
  if (node.metadata.labels?.[label] === undefined) {
    if (node.metadata.labels) operations.push({ op: 'add', path: labelPath, value: 'karpenter' });
    else {
      // Adding the map would take the place of one that somebody has made meanwhile.
      operations.push({ op: 'test', path: '/metadata/labels', value: null });
      operations.push({ op: 'add', path: '/metadata/labels', value: { [label]: 'karpenter' } });
    }
  }
  if (operations.length === 0) return [];
  return [{ op: 'test', path: '/metadata/uid', value: node.metadata.uid }, ...operations];
}

/** False: the node is gone. A `conflict` means that its taints changed meanwhile: look again. */
export async function keepPodsAway(
  cluster: ClusterServices,
  node: StoredNode,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  const operations = keepAwayPatch(node);
  if (operations.length === 0) return ok(true);
  const answer = await cluster.api.jsonPatch(nodes, { name: node.metadata.name }, operations, {}, signal);
  if (answer.ok) return ok(true);
  return answer.error.kind === 'not-found' ? ok(false) : answer;
}
