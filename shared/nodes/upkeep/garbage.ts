/**
 * The careful backstop (rule 9): instances without a claim, Nodes without a machine, claims whose machine has vanished, turns
 * that nobody holds any more. Everything needs two readings, a grace apart, and any unclear answer means no decision.
 */

import { nodeClaims, nodes } from '../../kube/contract.ts';
import { deleteAsRead } from '../../kube/delete-as-read.ts';
import type { Instance, Provider } from '../../providers/contract.ts';
import { instanceIdOf } from '../../providers/instance-id.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import { forgetSeen, seenTwice } from '../../state/two-readings.ts';
import { formatRecord } from '../claims/attempt/annotation.ts';
import { isOrphan, loseInstance, phaseOf } from '../claims/attempt/attempt.ts';
import { annotations, terminationFinalizer } from '../claims/spec/well-known.ts';
import { forgetInstance, nodeNames } from '../node-objects/node-index.ts';
import { isReady, type StoredNode } from '../node-objects/node-stages.ts';
import { removeNode } from '../node-objects/remove-node.ts';
import { releaseReplaced } from '../node-objects/replaced-node.ts';
import { priceChange } from '../offerings/price.ts';
import {
  type ClaimChange,
  changeClaim,
  readClaim,
  readingOf,
  type StoredClaim,
  viewClaim,
  viewOf,
} from '../steps/claim-access.ts';
import { clearStatus } from '../steps/clear-status.ts';
import { viewInstance } from '../steps/instance-view.ts';
import { heldElsewhere } from '../steps/lookup.ts';
import { isGone } from '../steps/machine-gone.ts';
import { ownedByPool } from '../steps/pool-owner.ts';
import { refOf } from '../steps/ref.ts';
import { emitEvent } from '../steps/report/claim-events.ts';
import { decisionText } from '../steps/report/decision-catalog.ts';
import { recordDecision } from '../steps/report/decision-log.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../steps/services.ts';

/** What a decision about one instance came to. */
export type Collected = 'kept' | 'seen-once' | 'deleted' | 'undecided';

const orphanKey = (cluster: ClusterServices, instance: Instance): string => `orphan/${cluster.name}/${instance.id}`;

/** A run may take long: whoever owns the cluster by now decides. */
const stillActs = async ({ ownership }: LifecycleServices, cluster: ClusterServices): Promise<boolean> =>
  (await ownership.standing(cluster.name)).acts;

/** First look, from lists; cheap, and never enough to delete. */
export const looksOrphaned = (
  cluster: ClusterServices,
  claims: ReadonlyMap<string, StoredClaim>,
  instance: Instance,
): boolean => {
  const claim = claims.get(instance.owner.claimUid);
  const view = claim && viewClaim(claim);
  return isOrphan(view ? { found: 'claim', claim: view } : { found: 'absent' }, viewInstance(instance, cluster, view));
};

/** Whether the first reading is old enough; the second is made by {@link collectInstance}, right before its delete. */
export const orphanedBefore = (services: LifecycleServices, cluster: ClusterServices, instance: Instance) =>
  seenTwice(services, orphanKey(cluster, instance), cluster.garbageCollection.graceSeconds);

export async function collectInstance(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  instance: Instance,
  signal: AbortSignal,
): Promise<Collected> {
  const log = services.log.child({ cluster: cluster.name, provider: provider.name, function: 'garbage-collection' });
  const { claimUid: uid, attempt } = instance.owner;
  const read = await readClaim(cluster, { cluster: cluster.name, name: instance.claimName, uid }, signal);
  if (read.found === 'unknown') {
    log.write('garbage.undecided', { instance: instance.id, problem: read.failure.message });
    return 'undecided';
  }
  if (!isOrphan(readingOf(read), viewInstance(instance, cluster, viewOf(read)))) {
    await forgetSeen(services, orphanKey(cluster, instance));
    return 'kept';
  }
  if (!(await stillActs(services, cluster))) return 'undecided';
  const { id, owner, claimName } = instance;
  const begun = await provider.beginDelete({ id, owner, claimName }, signal);
  if (!begun.ok) {
    log.write('garbage.undecided', { instance: instance.id, problem: begun.error.message });
    return 'undecided';
  }
  const reason = read.found === 'claim' ? 'superseded' : 'no-claim';
  log.write('garbage.collected', { instance: instance.id, uid, attempt, reason });
  services.metrics.garbageCollected.inc({ reason });
  for (const name of await nodeNames(services, cluster.name, instance.providerID)) {
    await removeNode(cluster, name, instance.providerID, signal);
  }
  await forgetInstance(services, cluster.name, instance.providerID);
  return 'deleted';
}

/**
 * A Node of ours whose machine is gone, and whose claim is gone too or has another machine by now: nothing else takes our
 * finalizer off it. Every provider that could have the machine must say that it does not.
 */
export async function collectNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: StoredNode,
  signal: AbortSignal,
): Promise<Collected> {
  const providerID = node.spec?.providerID ?? '';
  const providers = cluster.providers.filter((one) => instanceIdOf(one, providerID) !== undefined);
  const owner = node.metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim');
  if (providers.length === 0 || !owner || !node.metadata.finalizers?.includes(terminationFinalizer)) return 'kept';
  const what = `node/${cluster.name}/${node.metadata.uid}`;
  const ref = { cluster: cluster.name, name: owner.name, uid: owner.uid };
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return 'undecided';
  const isNamed = read.found === 'claim' && isSameMachine(cluster, read.claim.status?.providerID, providerID);
  if (isNamed || !(await isGoneEverywhere(services, cluster, providers, providerID, ref, signal))) {
    await forgetSeen(services, what);
    return 'kept';
  }
  if (!(await seenTwice(services, what, cluster.garbageCollection.graceSeconds))) return 'seen-once';
  if (!(await stillActs(services, cluster))) return 'undecided';
  await removeNode(cluster, node.metadata.name, providerID, signal);
  await forgetInstance(services, cluster.name, providerID);
  return 'deleted';
}

async function isGoneEverywhere(
  services: LifecycleServices,
  cluster: ClusterServices,
  providers: readonly Provider[],
  providerID: string,
  claim: ClaimRef,
  signal: AbortSignal,
): Promise<boolean> {
  for (const provider of providers) {
    if (!(await isGone(services, cluster, provider, providerID, signal, claim))) return false;
  }
  return true;
}

/**
 * Somebody has deleted the Node of a living claim and the event was lost: as with Karpenter the claim goes too, and its end drains
 * the Node, which our finalizer has kept. A Node whose machine is gone is another matter: see {@link checkVanished}.
 */
export async function followNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: StoredNode,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<boolean> {
  const providerID = node.spec?.providerID;
  const { deletionTimestamp, finalizers } = node.metadata;
  if (!deletionTimestamp || !finalizers?.includes(terminationFinalizer) || !providerID) return false;
  if (claim.metadata.deletionTimestamp || !isSameMachine(cluster, claim.status?.providerID, providerID)) return false;
  const { record } = viewClaim(claim);
  const provider = cluster.providers.find((one) => one.name === record?.provider);
  const ref = refOf(cluster.name, claim);
  if (!provider || (await isGone(services, cluster, provider, providerID, signal, ref))) return false;
  if (!(await stillActs(services, cluster))) return false;
  const released = await releaseReplaced(services, cluster, node.metadata.name, providerID, signal);
  if (!released.ok || released.value) return false;
  // By now it may have another machine, whose Node nobody has deleted.
  const stillDue = (now: StoredClaim): boolean => isSameMachine(cluster, now.status?.providerID, providerID);
  const deleted = await deleteAsRead(cluster.api, nodeClaims, claim, stillDue, signal);
  if (!deleted.ok || deleted.value !== 'deleted') return false;
  await recordDecision(services, ref, 'node-deleted', { node: node.metadata.name });
  return true;
}

/** An instance counts as vanished after two NotFound answers and a Node that is not Ready. */
export async function checkVanished(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<boolean> {
  const view = viewClaim(claim);
  const { record, providerID } = view;
  const phase = phaseOf(view);
  const provider = cluster.providers.find((one) => one.name === record?.provider);
  if (!provider || !record || !providerID || (phase !== 'ready' && phase !== 'launched') || view.deleting) return false;
  const ref = refOf(cluster.name, claim);
  const what = `vanished/${cluster.name}/${ref.uid}/${record.attempt}`;
  const place = { cluster, provider };
  // Also where the Node is Ready: nobody else would say that the provider looks at the wrong place.
  if (await heldElsewhere(services, place, ref, record)) return false;
  if (await nodeIsReady(cluster, claim, signal)) return false;
  if (!(await isGone(services, cluster, provider, providerID, signal, ref))) {
    await forgetSeen(services, what);
    return false;
  }
  if (await heldElsewhere(services, place, ref, record)) return false;
  if (!(await seenTwice(services, what, cluster.garbageCollection.graceSeconds))) return false;
  if (!(await stillActs(services, cluster))) return false;

  const message = decisionText('instance-vanished', { providerID });
  if (ownedByPool(claim)) {
    const { uid, resourceVersion } = claim.metadata;
    // As it was read: by now it may have another machine.
    const deleted = await cluster.api.delete(nodeClaims, { name: ref.name }, { uid, resourceVersion }, signal);
    if (deleted.ok) await tellVanished(services, cluster, claim, providerID);
    return deleted.ok;
  }
  // First, because the record remembers the attempt and nothing remembers its Node once the status is cleared.
  const names = new Set(await nodeNames(services, cluster.name, providerID));
  if (claim.status?.nodeName) names.add(claim.status.nodeName);
  for (const name of names) {
    const removed = await removeNode(cluster, name, providerID, signal);
    if (!removed.ok) return false;
  }
  const lost = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<boolean> => {
      const verdict = loseInstance(viewOf(read), ref.uid, providerID, services.clock.now());
      if (!verdict.ok || read.found !== 'claim') return { write: undefined, result: false };
      const record = { [annotations.attempt]: formatRecord(verdict.record) };
      const write = { metadata: { annotations: { ...record, ...priceChange(read.claim, null) } } };
      return { write, result: true };
    },
    signal,
  );
  if (!lost.ok || !lost.result) return false;
  await tellVanished(services, cluster, claim, providerID);
  await clearStatus(services, cluster, ref, record.attempt, { reason: 'InstanceVanished', message }, signal);
  return true;
}

async function tellVanished(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  providerID: string,
): Promise<void> {
  const message = decisionText('instance-vanished', { providerID });
  await emitEvent(services, cluster, claim, 'Warning', 'InstanceVanished', message);
  await recordDecision(services, refOf(cluster.name, claim), 'instance-vanished', { providerID });
}

async function nodeIsReady(cluster: ClusterServices, claim: StoredClaim, signal: AbortSignal): Promise<boolean> {
  const name = claim.status?.nodeName;
  if (!name) return false;
  const node = await cluster.api.get<StoredNode>(nodes, { name }, signal);
  // An answer that is not clear protects the claim.
  if (!node.ok) return node.error.kind !== 'not-found';
  return isReady(node.value);
}
