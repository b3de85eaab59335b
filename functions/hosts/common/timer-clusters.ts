/** Which clusters a timer serves, and how often each wants it. */
import type { Config } from '../../../shared/config/load.ts';
import { reconcilerOf, type TimerName } from '../../catalog.ts';
import type { TimerCluster } from './timer-rounds.ts';

export const clustersOf = (config: Config, timer: TimerName): TimerCluster[] =>
  Object.entries(config.clusters).map(([name, cluster]) => ({
    name,
    everySeconds: reconcilerOf(timer).seconds(cluster, config),
  }));

/** How far apart the runs for a cluster are: a tick is the least. */
export const intervals =
  (clusters: readonly TimerCluster[], tick: { readonly seconds: number }) =>
  (name: string): number =>
    Math.max(tick.seconds, clusters.find((one) => one.name === name)?.everySeconds ?? 0);
