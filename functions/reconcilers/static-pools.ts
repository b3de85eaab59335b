/** Keeps static NodePools at their replicas, on a timer; a change to one is looked at at once (`watchers/event-watcher.ts`). */

import { inParallel } from '../../shared/base/in-parallel.ts';
import { nodePools } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import { reconcilePool } from '../../shared/nodes/pools/reconcile-pool.ts';
import type { TimerFunction } from '../declaration.ts';
import { followPool } from './follow-pool.ts';

/** Pools looked at at once: a big one must not hold up the others. */
const width = 4;
const tellAgainSeconds = 1800;

export const staticPools: TimerFunction = {
  name: 'static-pools',
  trigger: { type: 'timer', every: 'pools' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (!cluster || !(await services.ownership.standing(clusterName)).acts) return;
    const log = services.log.child({ cluster: clusterName, function: 'static-pools' });
    const pools: StoredPool[] = [];
    const listed = await listAll<StoredPool>(
      cluster.api,
      nodePools,
      {},
      {
        onStart: () => {
          pools.length = 0;
        },
        onItem: (pool) => void pools.push(pool),
      },
      signal,
    );
    if (!listed.ok) {
      // A cluster may have claims and no NodePools at all, for good: then this would be said twice a minute.
      const key = `told/${clusterName}/pools-not-listed`;
      const first = await services.state.put(key, true, { ifVersion: null, ttlSeconds: tellAgainSeconds });
      if (first !== undefined) log.write('pool.failed', { problem: listed.error.message });
      return;
    }
    await inParallel(
      pools,
      width,
      async ({ metadata: { name } }) => {
        const outcome = await reconcilePool(services, cluster, name, signal);
        if (outcome.ok) await followPool(services, clusterName, name, outcome.value);
        else log.write('pool.failed', { pool: name, problem: outcome.error.message });
      },
      () => signal.aborted,
    );
  },
};
