/**
 * Serves clusters that requests have made while the host runs: each is connected, watched and looked after like one of the configuration,
 * from when its record is there until it is gone.
 */
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { pause } from '../../../shared/base/timers.ts';
import type { RegisteredCluster } from '../../../shared/clusters/registered/contract.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import { forgetStandings } from '../../../shared/ownership/ownership.ts';
import type { FunctionServices } from '../../declaration.ts';
import { ownClusters } from '../common/cluster-ownership.ts';
import { type ConnectedClusters, connectClusters, lookAtClusters } from '../common/cluster-services.ts';
import type { Leaderships } from '../common/leaderships.ts';
import { makesClusters, registerOf, servedWith } from '../common/registered-clusters.ts';
import { watchClusters } from './cluster-watches.ts';
import { timerPlans } from './timer-plans.ts';
import { runTimers } from './timers.ts';

export interface FollowedParts {
  config: Config;
  services: FunctionServices & { readonly ownership: Leaderships };
  /** The list that all functions read; clusters come and go in it. */
  clusters: ClusterServices[];
  /** Every name that this deployment knows. */
  names: string[];
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

interface FollowedCluster {
  record: string;
  stop(): Promise<void>;
}

const lookEverySeconds = 2;

/** Resolves when the signal has fired and every registered cluster has been let go. */
export async function followRegistered(parts: FollowedParts): Promise<void> {
  const { config, services, signal } = parts;
  if (!makesClusters(config)) return;
  const register = registerOf(config, services.state);
  const followed = new Map<string, FollowedCluster>();
  while (!signal.aborted) {
    const listed = await register.list();
    // What cannot be read is no reason to let anybody go.
    if (listed.ok) await follow(parts, followed, listed.value);
    await pause(lookEverySeconds * 1000, signal);
  }
  await Promise.all([...followed.values()].map((one) => one.stop()));
}

async function follow(
  parts: FollowedParts,
  followed: Map<string, FollowedCluster>,
  records: readonly RegisteredCluster[],
): Promise<void> {
  const wanted = new Map(records.map((record) => [record.name, JSON.stringify(record)]));
  for (const [name, one] of followed) {
    if (wanted.get(name) === one.record) continue;
    followed.delete(name);
    await one.stop();
  }
  for (const record of records) {
    const { name } = record;
    if (followed.has(name) || parts.signal.aborted) continue;
    const begun = await begin(parts, record);
    if (begun !== undefined) followed.set(name, { record: JSON.stringify(record), stop: begun });
  }
}

/** Undefined where it cannot be served now; the next look tries again. */
async function begin(parts: FollowedParts, record: RegisteredCluster): Promise<(() => Promise<void>) | undefined> {
  const { config, services, clusters, names, env } = parts;
  const { state, log, metrics } = services;
  const { name } = record;
  const { config: whole, records } = servedWith(config, [record], log);
  const settings = whole.clusters[name];
  if (settings === undefined || !records.has(name)) return undefined;
  const alone: Config = { ...whole, clusters: { [name]: settings } };
  if (!names.includes(name)) names.push(name);
  const connected = await connectClusters({
    config: alone,
    records,
    identityNames: names,
    apiOf: (cluster) => services.cluster(cluster)?.api,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics,
    state,
    env,
  });
  const [cluster] = connected.ok ? connected.value.clusters : [];
  if (!connected.ok || cluster === undefined) {
    const problem = connected.ok ? 'none of its providers is configured' : connected.error.message;
    log.write('cluster.access.doubtful', { cluster: name, problem });
    leave(names, name);
    return undefined;
  }
  await forgetStandings(state, [name]);
  services.ownership.add(name, ownClusters({ config: alone, clusters: [cluster], state, log, metrics }));
  clusters.push(cluster);
  const stopping = new AbortController();
  const working = await work(alone, services, cluster, stopping.signal);
  return () => end(parts, { name, cluster, connected: connected.value, stopping, working });
}

async function work(
  config: Config,
  services: FunctionServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<Promise<unknown>[]> {
  void lookAtClusters([cluster], services.log);
  return [
    ...watchClusters(config, services, signal, [cluster]),
    runTimers(await timerPlans(config), services, systemRandom, services.log, signal),
  ];
}

async function end(
  { services, clusters, names }: FollowedParts,
  followed: {
    name: string;
    cluster: ClusterServices;
    connected: ConnectedClusters;
    stopping: AbortController;
    working: readonly Promise<unknown>[];
  },
): Promise<void> {
  const { name, cluster, connected, stopping, working } = followed;
  stopping.abort();
  leave(clusters, cluster);
  leave(names, name);
  await Promise.all(working);
  services.ownership.remove(name);
  connected.close();
}

function leave<T>(list: T[], one: T): void {
  const at = list.indexOf(one);
  if (at >= 0) list.splice(at, 1);
}
