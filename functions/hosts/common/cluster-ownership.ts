/** Who acts on which cluster; and what a host's readiness says about each cluster. */

import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { ClusterServices, LifecycleServices } from '../../../shared/nodes/steps/services.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';
import type { LeaseSettings } from '../../../shared/ownership/keep-lease.ts';
import { createOwnership } from '../../../shared/ownership/ownership.ts';
import type { ClusterLeadership } from '../../../shared/ownership/standing.ts';
import type { Provider } from '../../../shared/providers/contract.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import type { State } from '../../../shared/state/contract.ts';

export function ownClusters(parts: {
  config: Config;
  clusters: readonly ClusterServices[];
  state: State;
  log: Log;
  metrics: Metrics;
}): ClusterLeadership {
  const { config, clusters, state, log, metrics } = parts;
  return createOwnership({
    deployment: config.deployment,
    clusters: clusters.map(({ name, api, providers, serving }) => ({
      api,
      lease: leaseOf(config, name),
      serves: whollyServed(providers, serving),
      check: async (signal) => {
        const { checkConfigured } = await import('./checks/cluster-check.ts');
        return checkConfigured({ config, api, providers, log }, signal);
      },
    })),
    state,
    clock: systemClock,
    ids: systemIds,
    log,
    metrics,
  });
}

/**
 * Where we take only marked claims of a kind, whoever takes the others is no rival. Should it take ours too, its writes
 * to their status tell.
 */
const whollyServed = (providers: readonly Provider[], serving: ClusterServices['serving']) =>
  kindsOf(providers).filter(
    ({ group, kind }) => serving({ nodeClassRef: { group, kind, name: '' }, labels: {}, annotations: {} }).length > 0,
  );

function leaseOf(config: Config, cluster: string): LeaseSettings {
  const settings = config.clusters[cluster];
  if (!settings) throw new Error(`cluster ${cluster} is not in the configuration`);
  return settings.lease;
}

export type Checks = Record<string, { ok: boolean; message?: string }>;

/** A cluster that another deployment serves is no fault of this host: it is said, and the host is ready all the same. */
export async function clusterChecks(services: LifecycleServices, cluster: ClusterServices): Promise<Checks> {
  const { name } = cluster;
  const identity = await cluster.identity();
  if (!identity.ok) return { [`cluster ${name}`]: { ok: false, message: identity.error.message } };
  const standing = await services.ownership.standing(name);
  const settings = await cluster.settings.current();
  const problem = cluster.settings.problem();
  const collectable = await cluster.collectable?.(identity.value);
  return {
    [`cluster ${name}`]: { ok: true },
    [`owner of ${name}`]: standing.acts
      ? { ok: true, message: `deployment ${services.deployment} acts` }
      : { ok: standing.reason === 'NotOwner', message: standing.why },
    // The host still serves its claims; that it collects no garbage must not stay unnoticed.
    ...(collectable === undefined || collectable.ok
      ? {}
      : { [`identity of ${name}`]: { ok: true, message: `no garbage collection: ${collectable.error.message}` } }),
    ...(problem === undefined ? {} : { [`settings of ${name}`]: { ok: settings.ok, message: problem } }),
  };
}
