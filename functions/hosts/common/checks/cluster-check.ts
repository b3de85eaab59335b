/**
 * Whether a cluster can be served at all. All processes together ask once an hour, so it is loaded by who asks, and not by every function that
 * starts.
 */
import type { Result } from '../../../../shared/base/result.ts';
import type { Config } from '../../../../shared/config/load.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import { type Right, rightsOf } from '../../../../shared/kube/rights.ts';
import type { Log } from '../../../../shared/observe/log/log.ts';
import { checkCluster } from '../../../../shared/ownership/check-cluster.ts';
import type { Lack } from '../../../../shared/ownership/standing.ts';
import type { Provider } from '../../../../shared/providers/contract.ts';
import { kindsOf } from '../../../../shared/providers/serving.ts';

interface Checked {
  config: Config;
  api: ClusterApi;
  providers: readonly Provider[];
  log: Log;
}

export const checkConfigured = (
  { config, api, providers, log }: Checked,
  signal: AbortSignal | undefined,
): Promise<Result<Lack[]>> =>
  checkCluster({ api, log, nodeClasses: kindsOf(providers), rights: rightsFor(config, api.name, providers) }, signal);

function rightsFor(config: Config, cluster: string, providers: readonly Provider[]): Right[] {
  const settings = config.clusters[cluster];
  if (!settings) throw new Error(`cluster ${cluster} is not in the configuration`);
  const { provisioner } = rightsOf({
    nodeClasses: kindsOf(providers),
    namespace: settings.settings.namespace,
    lease: settings.lease,
  });
  return provisioner;
}
