/** A Node goes with its machine: our finalizer first, then the object. A namesake with another machine is somebody else's. */
import { ok, type Result } from '../../base/result.ts';
import { type JsonPatchOperation, nodes } from '../../kube/contract.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import { terminationFinalizer } from '../claims/spec/well-known.ts';
import type { NodeSeen } from '../steps/answers.ts';
import type { ClusterServices } from '../steps/services.ts';
import { removeFinalizer } from './node-patch.ts';
import type { StoredNode } from './node-stages.ts';

/**
 * True: it was there and is gone now. Idempotent; a conflict is returned for the caller's next try. `seen` saves the look: who has
 * seen the Node of this machine removes just that one, and looks only if it has changed since.
 */
export async function removeNode(
  cluster: ClusterServices,
  name: string,
  providerID: string | undefined,
  signal: AbortSignal,
  seen?: NodeSeen,
): Promise<Result<boolean>> {
  if (seen) {
    const removed = await removeSeen(cluster, seen, signal);
    if (removed.ok || removed.error.kind !== 'conflict') return removed;
  }
  const node = await cluster.api.get<StoredNode>(nodes, { name }, signal);
  if (!node.ok) return node.error.kind === 'not-found' ? ok(false) : node;
  if (!isSameMachine(cluster, node.value.spec?.providerID, providerID)) return ok(false);
  const { uid, finalizers = [], deletionTimestamp } = node.value.metadata;
  return removeSeen(cluster, { name, uid, finalizers, deleting: deletionTimestamp !== undefined }, signal);
}

/**
 * The finalizer goes before the delete, not after: a Node that is marked as deleting would be news to every watcher, ours
 * among them. The patch tests only what it changes, so a kubelet that reports its state is no conflict.
 */
async function removeSeen(
  cluster: ClusterServices,
  { name, uid, finalizers, deleting }: NodeSeen,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  if (finalizers.includes(terminationFinalizer)) {
    const operations: JsonPatchOperation[] = [
      { op: 'test', path: '/metadata/uid', value: uid },
      ...removeFinalizer(finalizers, terminationFinalizer),
    ];
    const patched = await cluster.api.jsonPatch(nodes, { name }, operations, {}, signal);
    if (!patched.ok) return patched.error.kind === 'not-found' ? ok(true) : patched;
    // With its last finalizer a Node that somebody has deleted is gone.
    if (deleting) return ok(true);
  }
  const deleted = await cluster.api.delete(nodes, { name }, { uid }, signal);
  // A conflict: a kubelet that started afresh has made its Node anew, and that one has to go too.
  return deleted.ok || deleted.error.kind === 'not-found' ? ok(true) : deleted;
}
