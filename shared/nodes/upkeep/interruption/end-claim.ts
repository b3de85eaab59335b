/** What a message about its machine comes to for one claim. */
import { ok, type Result } from '../../../base/result.ts';
import { nodeClaims } from '../../../kube/contract.ts';
import { deleteAsRead } from '../../../kube/delete-as-read.ts';
import { interruptionRules } from '../../claims/interruption-rules.ts';
import { labels } from '../../claims/spec/well-known.ts';
import type { StoredClaim } from '../../steps/claim-access.ts';
import { boughtAs } from '../../steps/machine-labels.ts';
import { nodePoolOf } from '../../steps/pool-owner.ts';
import { refOf } from '../../steps/ref.ts';
import { emitEvent } from '../../steps/report/claim-events.ts';
import { type LifecycleServices, logFor } from '../../steps/services.ts';
import { mayTell } from './crowd.ts';
import type { Interrupted } from './find-claim.ts';
import { markTaken } from './mark-taken.ts';
import type { Note } from './notes.ts';
import { wantsRebalance } from './rebalance.ts';

/** `changed`: the claim has another machine than it had, so nothing was done. */
export type Ended = 'ended' | 'told' | 'ending-already' | 'changed';

export async function endClaim(
  services: LifecycleServices,
  interrupted: Interrupted,
  note: Note,
  signal: AbortSignal,
): Promise<Result<Ended>> {
  const { cluster, provider, claim } = interrupted;
  if (claim.metadata.deletionTimestamp !== undefined) return ok('ending-already');
  const rule = interruptionRules[note.kind];
  const ends = rule.endsClaim === 'always' ? ok(true) : await wantsRebalance(services, cluster, claim, signal);
  if (!ends.ok) return ends;
  if (!ends.value) {
    await tellBoth(services, interrupted, note);
    return ok('told');
  }
  const offering = rule.marksOffering ? boughtAs(claim, provider) : undefined;
  if (offering) await markTaken(services, provider, offering, note.reason);
  // The message is about one machine; by now the claim may have another one.
  const stillDue = (now: StoredClaim): boolean => now.status?.providerID === claim.status?.providerID;
  // What is begun here is also finished: nobody would be helped by half an answer.
  const deleted = await deleteAsRead(cluster.api, nodeClaims, claim, stillDue);
  if (!deleted.ok) return deleted;
  if (deleted.value !== 'deleted') return ok(deleted.value === 'changed' ? 'changed' : 'ending-already');
  const nodepool = services.metrics.nodePool(nodePoolOf(claim));
  const capacityType = claim.metadata.labels?.[labels.capacityType] ?? '';
  services.metrics.nodeClaimsDisrupted.inc({ reason: note.kind, nodepool, capacity_type: capacityType });
  logFor(services, refOf(cluster.name, claim)).write('interruption.received', { kind: note.kind, reason: note.reason });
  await tellBoth(services, interrupted, note);
  return ok('ended');
}

async function tellBoth(services: LifecycleServices, { cluster, claim }: Interrupted, note: Note): Promise<void> {
  if (!mayTell(services)) return;
  const { event, eventType } = interruptionRules[note.kind];
  const { nodeName } = claim.status ?? {};
  // kubectl looks for the Events of a Node under its name in place of a uid, as kubelets write them.
  const node = nodeName && { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName, uid: nodeName } };
  await Promise.all(
    [claim, ...(node ? [node] : [])].map((about) => emitEvent(services, cluster, about, eventType, event, note.reason)),
  );
}
