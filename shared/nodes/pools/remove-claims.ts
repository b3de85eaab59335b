/** Deletes claims of a pool, each as it was decided on: the lifecycle drains the node and takes the machine down. */

import { inParallel } from '../../base/in-parallel.ts';
import { type Failure, ok, type Result } from '../../base/result.ts';
import { nodeClaims } from '../../kube/contract.ts';
import { deleteAsRead } from '../../kube/delete-as-read.ts';
import { labels } from '../claims/spec/well-known.ts';
import type { Today } from '../disruption/drift.ts';
import type { OutdatedReason, PoolClaim, StoredPool } from '../disruption/types.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';
import { emitEvent } from '../steps/report/claim-events.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import type { Turn } from './lock.ts';
import { isOwnedBy, type Observed, toPoolClaim } from './observe.ts';

export type RemovalReason = 'ScaledDown' | 'PoolDeleted' | OutdatedReason;

const width = 16;

export const removalWords: Readonly<Record<RemovalReason, string>> = {
  ScaledDown: 'the NodePool has fewer replicas',
  PoolDeleted: 'the NodePool is being deleted',
  NodePoolDrifted: 'the template of the NodePool has changed',
  RequirementsDrifted: 'the node no longer meets the requirements of the NodePool',
  NodeClassDrifted: 'the node class has changed',
  InstanceDrifted: 'the instance was changed at the cloud',
  Expired: 'the claim has expired (expireAfter)',
};

/** What Karpenter counts as a voluntary disruption; the end of a claim's time is not. */
const driftReasons: ReadonlySet<RemovalReason> = new Set([
  'NodePoolDrifted',
  'RequirementsDrifted',
  'NodeClassDrifted',
  'InstanceDrifted',
]);

/** `changed`: a claim is not what it was when it was decided on, so it is still there. */
export async function removeClaims(
  services: LifecycleServices,
  cluster: ClusterServices,
  pool: StoredPool,
  removals: readonly { claim: PoolClaim; reason: RemovalReason }[],
  { stored, today }: Observed & { today: Today },
  turn: Turn,
  signal: AbortSignal,
): Promise<Result<'done' | 'changed'>> {
  let failure: Failure | undefined;
  let changed = false;
  let count = 0;
  const stop = (): boolean => failure !== undefined || signal.aborted || services.clock.now() >= turn.until;
  await inParallel(
    removals,
    width,
    async ({ claim, reason }) => {
      const read = stored.get(claim.name);
      if (!read) return;
      const stillDue = (now: StoredClaim): boolean =>
        isOwnedBy(now, pool) && (reason === 'PoolDeleted' || isTheSame(read, shapeClaim(now), today));
      const deleted = await deleteAsRead(cluster.api, nodeClaims, read, stillDue, signal);
      if (!deleted.ok) failure ??= deleted.error;
      else if (deleted.value === 'changed') changed = true;
      if (!deleted.ok || deleted.value !== 'deleted') return;
      count++;
      const nodepool = services.metrics.nodePool(pool.metadata.name);
      const capacityType = read.metadata.labels?.[labels.capacityType] ?? '';
      services.metrics.nodeClaimsDisrupted.inc({ reason, nodepool, capacity_type: capacityType });
      if (driftReasons.has(reason)) {
        services.metrics.disruptionDecisions.inc({ decision: 'replace', reason: 'drifted', consolidation_type: '' });
      }
      const about = { metadata: { name: claim.name, uid: claim.uid } };
      await emitEvent(services, cluster, about, 'Normal', reason, removalWords[reason]);
    },
    stop,
  );
  const log = services.log.child({ cluster: cluster.name, function: 'static-pools' });
  if (count > 0) {
    const reasons = [...new Set(removals.map(({ reason }) => reason))].join(', ');
    log.write('pool.scaled', { pool: pool.metadata.name, removed: count, reason: reasons });
  }
  if (failure === undefined) return ok(changed ? 'changed' : 'done');
  log.write('pool.failed', { pool: pool.metadata.name, problem: failure.message });
  return { ok: false, error: failure };
}

/** Whether the plan would see the same claim: one that has become ready since, or that is no longer outdated, needs another plan. */
function isTheSame(read: StoredClaim, now: StoredClaim, today: Today): boolean {
  const [a, b] = [toPoolClaim(read, today), toPoolClaim(now, today)];
  return (
    a.launched === b.launched &&
    a.initialized === b.initialized &&
    a.doNotDisrupt === b.doNotDisrupt &&
    a.outdated === b.outdated
  );
}
