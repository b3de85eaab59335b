/** finish: one last look, then the Node goes, the turn is given back, and the finalizer is dropped (rule 7). */

import { findCondition } from '../../../kube/conditions.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { mayDropFinalizer } from '../../claims/attempt/attempt.ts';
import { conditionTypes, labels, terminationFinalizer } from '../../claims/spec/well-known.ts';
import { notLookedFor } from '../../discard/delete-held-up.ts';
import { forgetInstance, nodeNames } from '../../node-objects/node-index.ts';
import { nodeNotDeleted } from '../../node-objects/node-not-deleted.ts';
import { removeNode } from '../../node-objects/remove-node.ts';
import { endOperationTurn } from '../../pauses/operation-turns.ts';
import { giveBackTurn } from '../../pauses/turns.ts';
import type { FinishInput, FinishResult, NodeSeen } from '../../steps/answers.ts';
import { type ClaimChange, changeClaim, type StoredClaim, takeEndingClaim, viewOf } from '../../steps/claim-access.ts';
import { type ClaimContext, findClaimContext, heldElsewhere, isAgain } from '../../steps/lookup.ts';
import { nodePoolOf } from '../../steps/pool-owner.ts';
import { ableProviders } from '../../steps/provider-choice.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { type Again, againAfter } from '../../steps/retry-later.ts';
import { type ClaimRef, type LifecycleServices, logFor } from '../../steps/services.ts';
import { unwritten } from '../../steps/unwritten.ts';

export const finish =
  (services: LifecycleServices) =>
  async (input: FinishInput, context: ActivityContext): Promise<FinishResult> => {
    const { ref } = input;
    const place = await findClaimContext(services, ref, input.provider);
    if (isAgain(place)) return place;
    const { cluster } = place;

    const read = await takeEndingClaim(services, cluster, ref, context.signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return { do: 'refused', why: 'gone' };
    const { claim } = read;
    if (!input.empty) {
      const before = await heldElsewhere(services, place, ref, read.view.record);
      if (before) return before;
      // Where no record says who was asked, it may have been anybody; what is found elsewhere is for the next epoch to delete.
      const others = read.view.record?.provider ? [] : ableProviders(cluster, claim);
      for (const provider of new Set([place.provider, ...others])) {
        const found = await provider.find(place.claim, context.signal);
        if (!found.ok) return await notLookedFor(services, cluster, ref, found.error, context.signal);
        if (found.value.length > 0) return { do: 'more' };
      }
      const after = await heldElsewhere(services, place, ref, read.view.record);
      if (after) return after;
    }

    const removed = await removeNodes(services, place, ref, claim, input.nodes, context.signal);
    if (removed) return removed;
    await giveBackTurn(services, cluster, ref.uid);
    await endOperationTurn(services, place, ref.uid);

    const dropped = await changeClaim(
      cluster,
      ref,
      (fresh): ClaimChange<ReturnType<typeof mayDropFinalizer>> => {
        const verdict = mayDropFinalizer(viewOf(fresh), ref.uid);
        if (!verdict.ok || fresh.found !== 'claim' || !fresh.view.finalizer)
          return { write: undefined, result: verdict };
        const finalizers = (fresh.claim.metadata.finalizers ?? []).filter((one) => one !== terminationFinalizer);
        return { write: { metadata: { finalizers } }, result: verdict };
      },
      context.signal,
      read,
    );
    if (!dropped.ok) return await unwritten(services, cluster, claim, dropped.failure);
    // Gone is what was wanted: an earlier execution dropped it and lost the answer.
    if (!dropped.result.ok && dropped.result.why !== 'gone') return { do: 'refused', why: dropped.result.why };
    if (claim.status?.providerID) await forgetInstance(services, ref.cluster, claim.status.providerID);
    await recordDecision(services, ref, 'released', {});
    report(services, claim);
    logFor(services, ref, context.workflowId).write('claim.terminated');
    return { do: 'finished' };
  };

/** The Node is deleted with its claim, not left for somebody else to notice that its machine is gone. */
async function removeNodes(
  services: LifecycleServices,
  { cluster }: ClaimContext,
  ref: ClaimRef,
  claim: StoredClaim,
  seen: readonly NodeSeen[],
  signal: AbortSignal,
): Promise<Again | undefined> {
  const providerID = claim.status?.providerID;
  const names = new Set(providerID ? await nodeNames(services, cluster.name, providerID) : []);
  if (claim.status?.nodeName) names.add(claim.status.nodeName);
  for (const name of names) {
    const removed = await removeNode(
      cluster,
      name,
      providerID,
      signal,
      seen.find((one) => one.name === name),
    );
    if (!removed.ok) return await nodeNotDeleted(services, cluster, ref, name, removed.error, signal);
    if (!removed.value) continue;
    const nodepool = services.metrics.nodePool(nodePoolOf(claim));
    const zone = claim.metadata.labels?.[labels.zone] ?? '';
    services.metrics.nodesTerminated.inc({ nodepool, zone });
    services.metrics.nodeTerminationDuration.observe({ nodepool }, deletingSeconds(services, claim));
    services.metrics.nodeLifetime.observe({ nodepool }, lifetimeSeconds(services, claim));
  }
  return undefined;
}

function report(services: LifecycleServices, claim: StoredClaim): void {
  const nodepool = services.metrics.nodePool(nodePoolOf(claim));
  const { [labels.capacityType]: capacityType = '', [labels.zone]: zone = '' } = claim.metadata.labels ?? {};
  services.metrics.nodeClaimsTerminated.inc({ nodepool, capacity_type: capacityType, zone });
  services.metrics.nodeClaimTerminationDuration.observe({ nodepool }, deletingSeconds(services, claim));
}

/** A node without the condition was there for a shorter time than its claim. */
function lifetimeSeconds({ clock }: LifecycleServices, { metadata, status }: StoredClaim): number {
  const registered = findCondition(status?.conditions, conditionTypes.registered);
  const since = Date.parse(registered?.lastTransitionTime ?? metadata.creationTimestamp);
  return Number.isFinite(since) ? Math.max(0, (clock.now() - since) / 1000) : 0;
}

function deletingSeconds({ clock }: LifecycleServices, { metadata }: StoredClaim): number {
  const since = Date.parse(metadata.deletionTimestamp ?? '');
  return Number.isFinite(since) ? Math.max(0, (clock.now() - since) / 1000) : 0;
}
