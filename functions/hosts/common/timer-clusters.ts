/** Which clusters a timer serves, and how often each wants it. */
import type { Config } from '../../../shared/config/load.ts';
import { reconcilerOf, type TimerName, turnsOf } from '../../catalog.ts';
import type { FunctionServices } from '../../declaration.ts';
import type { TimerCluster } from './timer-rounds.ts';

export const clustersOf = (config: Config, timer: TimerName): TimerCluster[] =>
  turnsOf(reconcilerOf(timer), config).map(({ name, everySeconds }) => ({ name, everySeconds }));

/** Whether this process knows it: a function may serve only some clusters. */
export const isServed = ({ cluster, requests }: FunctionServices, name: string): boolean =>
  cluster(name) !== undefined || requests?.place(name) !== undefined;

/** How far apart the runs for a cluster are: a tick is the least. */
export const intervals =
  (clusters: readonly TimerCluster[], tick: { readonly seconds: number }) =>
  (name: string): number =>
    Math.max(tick.seconds, clusters.find((one) => one.name === name)?.everySeconds ?? 0);
