/** Events about pools, node classes and claims of pools: hints to look at a pool now instead of at its next time. */

import type { DataOf } from '../../events/catalog.ts';
import type { Failure } from '../../shared/base/result.ts';
import { nodePools } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import { endClaims } from '../../shared/nodes/pools/end-of-claims.ts';
import { reconcileNodeClass } from '../../shared/nodes/pools/node-classes.ts';
import { reconcilePool } from '../../shared/nodes/pools/reconcile-pool.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import type { FunctionServices } from '../declaration.ts';
import { followPool } from '../reconcilers/follow-pool.ts';

export async function poolChanged(
  services: FunctionServices,
  cluster: ClusterServices,
  { name, deleting }: Pick<DataOf<'dev.poolwright.pool.changed.v1'>, 'name' | 'deleting'>,
  signal: AbortSignal,
): Promise<Handled> {
  // Gone, perhaps: where no controller manager runs, nobody else ends its claims.
  if (deleting) await endClaims(services, cluster, signal);
  const outcome = await reconcilePool(services, cluster, name, signal);
  if (!outcome.ok) return later(outcome.error);
  await followPool(services, cluster.name, name, outcome.value);
  return 'done';
}

/** The class first, then the pools that wait for it or whose nodes drift with it. */
export async function nodeClassChanged(
  services: FunctionServices,
  cluster: ClusterServices,
  { group, kind, name }: DataOf<'dev.poolwright.node-class.changed.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  const looked = await reconcileNodeClass(services, cluster, { group, kind, name }, signal);
  if (!looked.ok) return later(looked.error);
  const pools: string[] = [];
  const onItem = ({ metadata, spec }: StoredPool): void => {
    const ref = spec?.template?.spec?.nodeClassRef;
    if (ref?.group === group && ref.kind === kind && ref.name === name) pools.push(metadata.name);
  };
  // Without a list of pools nothing is lost: they are looked at on their timer.
  await listAll<StoredPool>(cluster.api, nodePools, {}, { onItem }, signal);
  for (const pool of new Set(pools)) {
    const outcome = await poolChanged(services, cluster, { name: pool, deleting: false }, signal);
    if (outcome !== 'done') return outcome;
  }
  return 'done';
}

/** A claim that goes may leave its pool one short. Its own pool decides, whatever becomes of this look. */
export async function poolLosesClaim(
  services: FunctionServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<void> {
  const owner = claim.metadata.ownerReferences?.find(({ kind }) => kind === 'NodePool');
  if (owner) await poolChanged(services, cluster, { name: owner.name, deleting: false }, signal);
}

const later = ({ message, retryAfterSeconds = 2 }: Failure): Handled => ({ retryAfterSeconds, reason: message });
