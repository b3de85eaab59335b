/** Deletes claims of a pool, each with its uid: the lifecycle drains the node and takes the machine down. */
import { type Failure, ok, type Result } from '../../base/result.ts';
import { nodeClaims } from '../../kube/contract.ts';
import { labels } from '../claims/spec/well-known.ts';
import type { OutdatedReason, PoolClaim, StoredPool } from '../disruption/types.ts';
import { emitEvent } from '../steps/report/claim-events.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { inParallel } from './in-parallel.ts';
import type { Turn } from './lock.ts';
import type { Observed } from './observe.ts';

export type RemovalReason = 'ScaledDown' | 'PoolDeleted' | OutdatedReason;

const width = 16;

export const removalWords: Readonly<Record<RemovalReason, string>> = {
  ScaledDown: 'the NodePool has fewer replicas',
  PoolDeleted: 'the NodePool is being deleted',
  NodePoolDrifted: 'the template of the NodePool has changed',
  RequirementsDrifted: 'the node no longer meets the requirements of the NodePool',
  NodeClassDrifted: 'the node class has changed',
  Expired: 'the claim has expired (expireAfter)',
};

export async function removeClaims(
  services: LifecycleServices,
  cluster: ClusterServices,
  pool: StoredPool,
  removals: readonly { claim: PoolClaim; reason: RemovalReason }[],
  { stored }: Observed,
  turn: Turn,
  signal: AbortSignal,
): Promise<Result<'done'>> {
  let failure: Failure | undefined;
  let count = 0;
  const stop = (): boolean => failure !== undefined || signal.aborted || services.clock.now() >= turn.until;
  await inParallel(
    removals,
    width,
    async ({ claim, reason }) => {
      const deleted = await cluster.api.delete(nodeClaims, { name: claim.name }, { uid: claim.uid }, signal);
      if (!deleted.ok) {
        // Gone, or another one under the name: not ours to delete any more.
        if (deleted.error.kind !== 'not-found' && deleted.error.kind !== 'conflict') failure ??= deleted.error;
        return;
      }
      count++;
      const nodepool = services.metrics.nodePool(pool.metadata.name);
      const capacityType = stored.get(claim.name)?.metadata.labels?.[labels.capacityType] ?? '';
      services.metrics.nodeClaimsDisrupted.inc({ reason, nodepool, capacity_type: capacityType });
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
  if (failure === undefined) return ok('done');
  log.write('pool.failed', { pool: pool.metadata.name, problem: failure.message });
  return { ok: false, error: failure };
}
