/** A Node goes with its machine: our finalizer first, then the object. A namesake with another machine is somebody else's. */
import { ok, type Result } from '../claims/errors.ts';
import { terminationFinalizer } from '../claims/well-known.ts';
import { nodes } from '../cluster/contract.ts';
import type { StoredNode } from './node-stages.ts';
import type { ClusterServices } from './services.ts';

/** True: it was there and is gone now. Idempotent; a conflict is returned for the caller's next try. */
export async function removeNode(
  cluster: ClusterServices,
  name: string,
  providerID: string | undefined,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  const node = await cluster.api.get<StoredNode>(nodes, { name }, signal);
  if (!node.ok) return node.error.kind === 'not-found' ? ok(false) : node;
  if (node.value.spec?.providerID !== providerID) return ok(false);
  const { uid, resourceVersion, finalizers = [] } = node.value.metadata;
  if (finalizers.includes(terminationFinalizer)) {
    const rest = finalizers.filter((one) => one !== terminationFinalizer);
    const patch = { metadata: { uid, resourceVersion, finalizers: rest } };
    const patched = await cluster.api.mergePatch(nodes, { name }, patch, {}, signal);
    if (!patched.ok && patched.error.kind !== 'not-found') return patched;
  }
  const deleted = await cluster.api.delete(nodes, { name }, { uid }, signal);
  if (!deleted.ok && deleted.error.kind !== 'not-found' && deleted.error.kind !== 'conflict') return deleted;
  return ok(true);
}
