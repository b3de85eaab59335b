/** When a timer ticks, and which of its ticks is meant for which cluster. */
import type { Config } from '../../../shared/config.ts';
import type { TimerName } from '../../declaration.ts';
import { timerSeconds } from '../common/timer-seconds.ts';
import { everySeconds, type Tick } from './ncrontab.ts';
import type { TimerCluster } from './timer-rounds.ts';

/** While there is no cluster, or no usable configuration, a tick only says so. */
const idleSeconds = 300;

export const clustersOf = (config: Config | undefined, timer: TimerName): TimerCluster[] =>
  Object.entries(config?.clusters ?? {}).map(([name, cluster]) => ({
    name,
    everySeconds: config ? timerSeconds[timer](cluster, config) : idleSeconds,
  }));

/** As often as the cluster that wants it most often. */
export function tickOf(config: Config | undefined, timer: TimerName, offset: number): Tick {
  const wanted = clustersOf(config, timer).map((cluster) => cluster.everySeconds);
  return everySeconds(wanted.length === 0 ? idleSeconds : Math.min(...wanted), offset);
}
