/**
 * Claims whose time is over: those that have expired, and those whose NodePool is gone.
 *
 * Claims of a static pool are left to it while it is there: it makes the replacement first. Kubernetes itself collects the
 * claims of a deleted pool, but only where its controller manager runs, and a cluster without a node may have none.
 */

import { inParallel } from '../../base/in-parallel.ts';
import { nodeClaims, nodePools } from '../../kube/contract.ts';
import { deleteAsRead } from '../../kube/delete-as-read.ts';
import { listAll } from '../../kube/list-all.ts';
import { selects } from '../../providers/claim-selector.ts';
import { labels } from '../claims/spec/well-known.ts';
import { expiryOf } from '../disruption/drift.ts';
import type { StoredPool } from '../disruption/types.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';
import { isOurs } from '../steps/is-ours.ts';
import { nodePoolOf } from '../steps/pool-owner.ts';
import { servedClaim } from '../steps/provider-choice.ts';
import { refOf } from '../steps/ref.ts';
import { emitEvent } from '../steps/report/claim-events.ts';
import { type ClusterServices, type LifecycleServices, logFor } from '../steps/services.ts';

type End = { claim: StoredClaim; reason: 'Expired' | 'PoolDeleted' };

const width = 8;

export async function endClaims(
  services: LifecycleServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<void> {
  if (!(await services.ownership.standing(cluster.name)).acts) return;
  const log = services.log.child({ cluster: cluster.name, function: 'expiration' });
  const isStatic = new Map<string, boolean>();
  const pools = await listAll<StoredPool>(
    cluster.api,
    nodePools,
    {},
    {
      onStart: () => isStatic.clear(),
      onItem: ({ metadata, spec }) => void isStatic.set(metadata.uid, spec?.replicas !== undefined),
    },
    signal,
  );
  // A cluster may have claims and no NodePools at all; then only claims without a pool expire.
  if (!pools.ok && pools.error.kind !== 'unavailable')
    return log.write('pool.failed', { problem: pools.error.message });

  const now = services.clock.now();
  const endOf = (claim: StoredClaim): End['reason'] | undefined => {
    const owner = poolOf(claim);
    // While the pools can't be read, nobody knows which of them replaces its claims first.
    if (owner && (!pools.ok || isStatic.get(owner.uid) === true)) return undefined;
    const at = expiryOf(claim);
    if (at !== undefined && at <= now && (owner || expires(cluster, claim))) return 'Expired';
    return owner && !isStatic.has(owner.uid) ? 'PoolDeleted' : undefined;
  };
  let due: End[] = [];
  const listed = await listAll<StoredClaim>(
    cluster.api,
    nodeClaims,
    {},
    {
      onStart: () => {
        due = [];
      },
      onItem: async (raw) => {
        const claim = shapeClaim(raw);
        if (claim.metadata.deletionTimestamp !== undefined || !isOurs(services, cluster.name, claim)) return;
        const reason = endOf(claim);
        if (reason) due.push({ claim, reason });
      },
    },
    signal,
  );
  if (!listed.ok) return log.write('resync.failed', { problem: listed.error.message });
  await inParallel(
    due,
    width,
    (end) => endOne(services, cluster, end, (claim) => endOf(shapeClaim(claim)) === end.reason, signal),
    () => signal.aborted,
  );
}

/** Whoever serves the claim may know that its user never asked for an end. */
function expires(cluster: ClusterServices, claim: StoredClaim): boolean {
  const served = servedClaim(claim);
  return cluster.serving(served).every(({ provider }) => selects(provider.expires, served));
}

const poolOf = ({ metadata }: StoredClaim) =>
  metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'NodePool' && apiVersion.startsWith('karpenter.sh/'),
  );

async function endOne(
  services: LifecycleServices,
  cluster: ClusterServices,
  { claim, reason }: End,
  stillDue: (now: StoredClaim) => boolean,
  signal: AbortSignal,
): Promise<void> {
  if (reason === 'PoolDeleted' && !(await poolIsGone(cluster, claim, signal))) return;
  const deleted = await deleteAsRead(cluster.api, nodeClaims, claim, stillDue, signal);
  const log = logFor(services, refOf(cluster.name, claim));
  if (!deleted.ok) return log.write('resync.failed', { problem: deleted.error.message });
  if (deleted.value !== 'deleted') return;
  const message =
    reason === 'Expired'
      ? `it is older than expireAfter (${claim.spec.expireAfter})`
      : `its NodePool ${poolOf(claim)?.name ?? ''} is gone`;
  await emitEvent(services, cluster, claim, 'Normal', reason, message);
  const capacityType = claim.metadata.labels?.[labels.capacityType] ?? '';
  const nodepool = services.metrics.nodePool(nodePoolOf(claim));
  services.metrics.nodeClaimsDisrupted.inc({ reason, nodepool, capacity_type: capacityType });
  log.write(reason === 'Expired' ? 'claim.expired' : 'claim.pool-gone', { message });
}

/** The pool itself is asked for: a list that is not whole must not take nodes away. A uid never comes back. */
async function poolIsGone(cluster: ClusterServices, claim: StoredClaim, signal: AbortSignal): Promise<boolean> {
  const owner = poolOf(claim);
  if (!owner) return false;
  const read = await cluster.api.get<StoredPool>(nodePools, { name: owner.name }, signal);
  return read.ok ? read.value.metadata.uid !== owner.uid : read.error.kind === 'not-found';
}
