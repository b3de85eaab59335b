/** Which reconciler runs for which cluster, and how often. */
import type { Config } from '../../../shared/config/load.ts';
import { type CatalogedReconciler, reconcilers, turnsOf } from '../../catalog.ts';
import { withHeartbeat } from '../common/with-heartbeat.ts';
import type { TimerPlan } from './timers.ts';

export async function timerPlans(config: Config): Promise<TimerPlan[]> {
  const loaded = await Promise.all(
    (reconcilers as readonly CatalogedReconciler[]).map(async (entry) => ({ ...entry, timer: await entry.load() })),
  );
  return loaded.flatMap((entry) =>
    turnsOf(entry, config).map(({ name, everySeconds }) => ({
      timer: withHeartbeat(entry.timer, () => everySeconds),
      cluster: name,
      everySeconds,
      afterSeconds: Math.min(entry.afterSeconds ?? 0, everySeconds),
    })),
  );
}
