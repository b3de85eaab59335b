/** Which reconciler runs for which cluster, and how often. */
import type { Config } from '../../../shared/config/load.ts';
import { type CatalogedReconciler, reconcilers } from '../../catalog.ts';
import { withHeartbeat } from '../common/with-heartbeat.ts';
import type { TimerPlan } from './timers.ts';

export async function timerPlans(config: Config): Promise<TimerPlan[]> {
  const loaded = await Promise.all(
    (reconcilers as readonly CatalogedReconciler[]).map(async (entry) => ({ ...entry, timer: await entry.load() })),
  );
  return Object.entries(config.clusters).flatMap(([cluster, clusterConfig]) =>
    loaded.map(({ timer, seconds, afterSeconds = 0 }) => {
      const everySeconds = seconds(clusterConfig, config);
      return {
        timer: withHeartbeat(timer, () => everySeconds),
        cluster,
        everySeconds,
        afterSeconds: Math.min(afterSeconds, everySeconds),
      };
    }),
  );
}
