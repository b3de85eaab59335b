/**
 * How many claims all pools of a cluster may make together. Each pool keeps below `maxInstances` by itself, but many pools would still make
 * many times as many claims as the cluster can ever serve, and each of them would wait for ever.
 */
import { ok, type Result } from '../../base/result.ts';
import { nodeClaims } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { labels } from '../claims/spec/well-known.ts';
import { turnHolders } from '../pauses/turns.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { ownedByPool } from '../steps/pool-owner.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { withLock } from './lock.ts';

/** Pools of this process wait for each other here; only other processes meet at the lock. */
const lines = new WeakMap<ClusterServices, Promise<unknown>>();

/**
 * Lets one pool at a time make claims, because each one's room depends on what the others have made.
 *
 * @returns Undefined while another process is at it.
 */
export async function withRoom<T>(
  services: LifecycleServices,
  cluster: ClusterServices,
  signal: AbortSignal,
  make: (room: number) => Promise<T>,
): Promise<Result<T> | undefined> {
  const cap = cluster.maxInstances;
  if (cap === undefined) return ok(await make(Number.POSITIVE_INFINITY));
  const inTurn = async (): Promise<Result<T> | undefined> =>
    withLock(services, `pool-room/${cluster.name}`, async () => {
      const used = await usedBy(services, cluster, signal);
      return used.ok ? ok(await make(Math.max(0, cap - used.value))) : used;
    });
  const turn = (lines.get(cluster) ?? Promise.resolve()).then(inTurn);
  lines.set(
    cluster,
    turn.catch(() => undefined),
  );
  return turn;
}

/**
 * Claims that hold one of the cluster's turns, and claims of pools that will take one. A claim of a user that holds no turn may never take
 * one, for example because it is invalid: it must not keep the pools from growing.
 */
async function usedBy(
  services: LifecycleServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<Result<number>> {
  const holders = await turnHolders(services, cluster);
  let waiting = 0;
  const listed = await listAll<StoredClaim>(
    cluster.api,
    nodeClaims,
    { labelSelector: labels.nodePool },
    {
      onStart: () => {
        waiting = 0;
      },
      onItem: (claim) => {
        if (ownedByPool(claim) && !holders.has(claim.metadata.uid)) waiting += 1;
      },
    },
    signal,
  );
  return listed.ok ? ok(holders.size + waiting) : listed;
}
