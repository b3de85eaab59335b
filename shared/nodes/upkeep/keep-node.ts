/**
 * Looks after the Node of a claim at rest. A kubelet that starts afresh makes its Node anew, with the taint that keeps pods
 * away and without labels, owner and finalizer; somebody may also take labels off. No launch runs any more, so what
 * registration had given is given again here. The claim stays as it is: its machine has been through its start-up.
 */

import { ok, type Result } from '../../base/result.ts';
import { nodes } from '../../kube/contract.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import { phaseOf } from '../claims/attempt/attempt.ts';
import { labels, terminationFinalizer } from '../claims/spec/well-known.ts';
import { patchNode } from '../node-objects/join-node.ts';
import { otherOwner, type StoredNode } from '../node-objects/node-stages.ts';
import { type ClaimChange, changeClaim, readClaim, type StoredClaim, statusChange } from '../steps/claim-access.ts';
import { emitEventThrottled } from '../steps/report/claim-events.ts';
import { type ClaimRef, type ClusterServices, type LifecycleServices, logFor } from '../steps/services.ts';
import { statusPatch } from '../steps/status.ts';

/** True: something was missing and is there again. Idempotent, and does nothing for a claim that is not at rest. */
export async function keepNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  node: StoredNode,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  if (isComplete(node, ref) || node.metadata.deletionTimestamp) return ok(false);
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return { ok: false, error: read.failure };
  if (read.found !== 'claim' || read.view.deleting || phaseOf(read.view) !== 'ready') return ok(false);
  const { claim } = read;
  if (!isSameMachine(cluster, claim.status?.providerID, node.spec?.providerID) || otherOwner(claim, node))
    return ok(false);
  const twin = await twinOf(cluster, claim, node, signal);
  if (!twin.ok) return twin;
  const { name } = node.metadata;
  if (twin.value) {
    const message = `nodes ${name} and ${claim.status?.nodeName} have the same providerID ${node.spec?.providerID}; the host ignores ${name}`;
    await emitEventThrottled(services, cluster, claim, 'Warning', 'MultipleNodesFound', message);
    return ok(false);
  }
  const { traits } = cluster.providers.find((one) => one.name === read.view.record?.provider) ?? {};
  const patched = await patchNode(cluster, claim, node, signal, traits?.madeToMeasure);
  if ('failure' in patched) return { ok: false, error: patched.failure };
  // Nothing was due: it is not Ready yet, and gets its last label when it is.
  if (patched.node === node) return ok(false);
  const named = await nameNode(services, cluster, ref, node, signal);
  if (!named.ok) return named;
  logFor(services, ref).write('node.restored', { node: name });
  const message = `node ${name} had lost its labels, owner or finalizer (it was registered again, or changed); the host restored them`;
  await emitEventThrottled(services, cluster, claim, 'Normal', 'NodeRestored', message);
  return ok(true);
}

const isComplete = ({ metadata }: StoredNode, ref: ClaimRef): boolean =>
  metadata.labels?.[labels.registered] === 'true' &&
  metadata.labels[labels.initialized] === 'true' &&
  (metadata.finalizers?.includes(terminationFinalizer) ?? false) &&
  (metadata.ownerReferences?.some(({ uid }) => uid === ref.uid) ?? false);

/** Whether the claim's own node is still there beside this one. */
async function twinOf(
  cluster: ClusterServices,
  claim: StoredClaim,
  node: StoredNode,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  const name = claim.status?.nodeName;
  if (!name || name === node.metadata.name) return ok(false);
  const known = await cluster.api.get<StoredNode>(nodes, { name }, signal);
  if (!known.ok) return known.error.kind === 'not-found' ? ok(false) : known;
  return ok(isSameMachine(cluster, known.value.spec?.providerID, node.spec?.providerID));
}

/** A machine that was given another host name comes back under another one; a pool's VM that was replaced under both others. */
async function nameNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  node: StoredNode,
  signal: AbortSignal,
): Promise<Result<null>> {
  const named = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      const { providerID } = node.spec ?? {};
      const same = read.found === 'claim' && isSameMachine(cluster, read.claim.status?.providerID, providerID);
      if (!same || read.view.deleting || !providerID) return { write: undefined, result: null };
      const fields = { nodeName: node.metadata.name, providerID };
      const write = statusPatch(read.claim, services.clock.now(), [], fields);
      return statusChange(write, null);
    },
    signal,
  );
  return named.ok ? ok(null) : { ok: false, error: named.failure };
}
