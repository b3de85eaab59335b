/** When a timer ticks. */
import type { Config } from '../../../shared/config/load.ts';
import type { TimerName } from '../../catalog.ts';
import { clustersOf } from '../common/timer-clusters.ts';
import { everySeconds, type Tick } from './ncrontab.ts';

/** While there is no cluster, or no usable configuration, a tick only says so. */
const idleSeconds = 300;

/** As often as the cluster that wants it most often. */
export function tickOf(config: Config | undefined, timer: TimerName, offset: number): Tick {
  const wanted = config ? clustersOf(config, timer).map((cluster) => cluster.everySeconds) : [];
  return everySeconds(wanted.length === 0 ? idleSeconds : Math.min(...wanted), offset);
}
