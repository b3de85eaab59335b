/**
 * Serves clusters that requests have made while the host runs: each is connected, watched and looked after like one of the configuration,
 * from when its record is there until it is gone.
 */
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { pause } from '../../../shared/base/timers.ts';
import type { RegisteredCluster } from '../../../shared/clusters/registered/contract.ts';
import type { Config } from '../../../shared/config/load.ts';
import { makesClusters } from '../../../shared/config/request-places.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import { forgetStandings } from '../../../shared/ownership/ownership.ts';
import type { FunctionServices } from '../../declaration.ts';
import { ownClusters } from '../common/cluster-ownership.ts';
import { type ConnectedClusters, connectClusters, lookAtClusters } from '../common/cluster-services.ts';
import { registerOf, servedWith } from '../common/registered-clusters.ts';
import type { Leaderships } from '../common/requests/leaderships.ts';
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
/** A cluster that cannot be served now: its API does not answer, or another one does. */
const tryAgainSeconds = 30;

/** Resolves when the signal has fired and every registered cluster has been let go. */
export async function followRegistered(parts: FollowedParts): Promise<void> {
  const { config, services, signal } = parts;
  if (!makesClusters(config)) return;
  const register = registerOf(config, services.state);
  const followed = new Map<string, FollowedCluster>();
  const triedAt = new Map<string, number>();
  while (!signal.aborted) {
    const listed = await register.list();
    // What cannot be read is no reason to let anybody go.
    if (listed.ok) await follow(parts, followed, triedAt, listed.value);
    await pause(lookEverySeconds * 1000, signal);
  }
  await Promise.all([...followed.values()].map((one) => one.stop()));
}

async function follow(
  parts: FollowedParts,
  followed: Map<string, FollowedCluster>,
  triedAt: Map<string, number>,
  records: readonly RegisteredCluster[],
): Promise<void> {
  const wanted = new Map(records.map((record) => [record.name, JSON.stringify(record)]));
  for (const [name, one] of followed) {
    if (wanted.get(name) === one.record) continue;
    followed.delete(name);
    await one.stop();
  }
  // Side by side: one whose API does not answer holds up no other.
  await Promise.all(
    records.map(async (record) => {
      const { name } = record;
      const since = systemClock.monotonic() - (triedAt.get(name) ?? Number.NEGATIVE_INFINITY);
      if (followed.has(name) || parts.signal.aborted || since < tryAgainSeconds * 1000) return;
      triedAt.set(name, systemClock.monotonic());
      const begun = await begin(parts, record);
      if (begun === undefined) return;
      followed.set(name, { record: JSON.stringify(record), stop: begun });
      triedAt.delete(name);
    }),
  );
}

/** Undefined where it cannot be served now; the next look tries again. */
async function begin(parts: FollowedParts, record: RegisteredCluster): Promise<(() => Promise<void>) | undefined> {
  const { config, services, clusters, names, env } = parts;
  const { state, log, metrics } = services;
  const { name } = record;
  const { config: whole, records } = servedWith(config, [record], log);
  const settings = whole.clusters[name];
  if (settings === undefined || !records.has(name)) return undefined;
  const { state: _, ...clusterRequests } = whole.clusterRequests;
  const alone: Config = { ...whole, clusters: { [name]: settings }, clusterRequests };
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
  const identity = await cluster?.identity();
  if (!connected.ok || cluster === undefined || identity?.ok !== true) {
    const failure = connected.ok ? (identity?.ok === false ? identity.error : undefined) : connected.error;
    const problem = failure?.message ?? 'none of its providers is configured';
    log.write('cluster.access.doubtful', { cluster: name, problem });
    if (connected.ok) connected.value.close();
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
