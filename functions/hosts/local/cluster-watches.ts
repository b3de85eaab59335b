/** Watches every cluster that no bridge watches for this host, and puts what changes on the queue. */
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { handOverSeen } from '../../../shared/nodes/steps/claim-handover.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import type { FunctionServices } from '../../declaration.ts';
import { watchCluster } from '../../sources/cluster-watch.ts';

/** One promise per cluster; it resolves when its watch has ended, after the signal has fired. */
export function watchClusters(
  config: Config,
  services: FunctionServices,
  signal: AbortSignal,
  clusters: readonly ClusterServices[] = services.clusters,
): Promise<void>[] {
  const watched = clusters.filter(({ name }) => config.clusters[name]?.watch);
  return watched.map((cluster) => {
    const { name, api, providers } = cluster;
    return watchCluster({
      cluster: name,
      api,
      queue: services.events,
      nodeClasses: kindsOf(providers).map((kind) => ({ ...kind, namespaced: false })),
      requests: config.clusters[name]?.clusterRequests !== undefined,
      machines: config.clusters[name]?.machines !== undefined,
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      log: services.log,
      signal,
      onLost: () => services.metrics.eventsLost.inc({ cluster: name, source: 'watch' }),
      onClaim: (claim) => handOverSeen(services, cluster, claim as StoredClaim),
    });
  });
}
