/**
 * Keeps new pods, and load balancers, away from a node. The patch tests what it changes and nothing else, so it never meets
 * a kubelet that reports its node's state at the same moment.
 */
import { ok, type Result } from '../../../base/result.ts';
import { type JsonPatchOperation, nodes } from '../../../kube/contract.ts';
import { disruptedTaint, equalTaints } from '../../claims/spec/taints.ts';
import { labels, terminationFinalizer } from '../../claims/spec/well-known.ts';
import { absent, addFinalizer, removeFinalizer } from '../../node-objects/node-patch.ts';
import type { StoredNode } from '../../node-objects/node-stages.ts';
import type { ClusterServices } from '../../steps/services.ts';

const label = labels.excludeFromLoadBalancers;
const labelPath = `/metadata/labels/${label.replaceAll('/', '~1')}`;

/**
 * Empty when the node says so already. `release`: our finalizer goes with it, unless somebody has deleted the Node by then: that Node would be
 * gone at once.
 */
export function keepAwayPatch(node: StoredNode, release = false): JsonPatchOperation[] {
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
  const released = release ? removeFinalizer(node.metadata.finalizers, terminationFinalizer) : [];
  if (released.length > 0) operations.push(absent('/metadata/deletionTimestamp'), ...released);
  return [{ op: 'test', path: '/metadata/uid', value: node.metadata.uid }, ...operations];
}

/** Whether it is worth to ask if the finalizer can go with the taint: a write of its own would gain nothing. */
export const mayRelease = (node: StoredNode): boolean =>
  node.metadata.deletionTimestamp === undefined &&
  (node.metadata.finalizers?.includes(terminationFinalizer) ?? false) &&
  keepAwayPatch(node).length > 0;

/** The node as it is now; undefined: it is gone. A `conflict` means that what is tested changed meanwhile: look again. */
export async function keepPodsAway(
  cluster: ClusterServices,
  node: StoredNode,
  release: boolean,
  signal: AbortSignal,
): Promise<Result<StoredNode | undefined>> {
  const operations = keepAwayPatch(node, release);
  if (operations.length === 0) return ok(node);
  const answer = await cluster.api.jsonPatch<StoredNode>(nodes, { name: node.metadata.name }, operations, {}, signal);
  return answer.ok || answer.error.kind !== 'not-found' ? answer : ok(undefined);
}

/**
 * A Node with pods to drain is kept until they are gone, whoever deletes it: a pod may have come in the moment before the taint. What fails
 * here is tried again in the next round.
 */
export async function holdNode(cluster: ClusterServices, node: StoredNode, signal: AbortSignal): Promise<void> {
  const { name, uid, finalizers, deletionTimestamp } = node.metadata;
  const added = addFinalizer(finalizers, terminationFinalizer);
  if (added.length === 0 || deletionTimestamp !== undefined) return;
  await cluster.api.jsonPatch(
    nodes,
    { name },
    [{ op: 'test', path: '/metadata/uid', value: uid }, ...added],
    {},
    signal,
  );
}
