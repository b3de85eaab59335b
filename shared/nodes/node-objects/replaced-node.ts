/**
 * A Node that goes because its machine was replaced. Azure upgrades a pool by another VM beside the first one, or in its
 * place, and deletes the Node of the one that goes: nobody has said anything about the claim then. It stays, and follows to
 * the Node that remains; the finalizer of the old one would only keep the upgrade waiting.
 */
import { ok, type Result } from '../../base/result.ts';
import { nodes } from '../../kube/contract.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { nodeNames } from './node-index.ts';
import type { StoredNode } from './node-stages.ts';
import { removeNode } from './remove-node.ts';

/** True: another VM of the same pool has joined, and the Node that is being deleted was let go. */
export async function releaseReplaced(
  services: LifecycleServices,
  cluster: ClusterServices,
  name: string,
  providerID: string,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  for (const other of await nodeNames(services, cluster.name, providerID)) {
    if (other === name) continue;
    const found = await cluster.api.get<StoredNode>(nodes, { name: other }, signal);
    if (!found.ok && found.error.kind !== 'not-found') return found;
    if (!found.ok || !isSuccessor(cluster, found.value, providerID)) continue;
    const removed = await removeNode(cluster, name, providerID, signal);
    return removed.ok ? ok(true) : removed;
  }
  return ok(false);
}

/** The same providerID under another name is a kubelet that was renamed, and no other VM. */
const isSuccessor = (cluster: ClusterServices, { metadata, spec }: StoredNode, providerID: string): boolean =>
  metadata.deletionTimestamp === undefined &&
  spec?.providerID !== providerID &&
  isSameMachine(cluster, spec?.providerID, providerID);
