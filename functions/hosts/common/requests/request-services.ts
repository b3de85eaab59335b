/**
 * What requests for clusters are carried out with, put together the same way on every host. Loaded only where the configuration has a place
 * for requests: whoever makes no clusters pays nothing for those who do.
 */
import type { Environment } from '../../../../shared/base/environment.ts';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import type { Clock, Ids, Random } from '../../../../shared/base/runtime.ts';
import type { ClusterRequestServices } from '../../../../shared/clusters/services.ts';
import type { Config } from '../../../../shared/config/load.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import type { LifecycleServices } from '../../../../shared/nodes/steps/services.ts';
import type { Log } from '../../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../../shared/observe/metrics.ts';
import type { State } from '../../../../shared/state/contract.ts';
import { registerOf } from '../registered-clusters.ts';
import { newClusterDefinitions } from './new-cluster-definitions.ts';
import { notifyTargets, postBy } from './notices.ts';
import { newClusters } from './open-new-cluster.ts';
import { policyOf } from './policy.ts';
import { poolTypesOf } from './pool-types.ts';
import { openPlaces } from './request-places.ts';

export interface RequestParts {
  /** Without the clusters that requests have made. */
  config: Config;
  apiOf(cluster: string): ClusterApi | undefined;
  state: State;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
  env: Environment;
}

export interface OpenRequests {
  /** For the functions of a host, once those are put together. */
  servicesFor(functions: LifecycleServices): ClusterRequestServices;
  close(): void;
}

/** A wrong field stops the host, with its name and what to do. */
export async function openRequests(parts: RequestParts): Promise<Result<OpenRequests>> {
  const { config, state, log, env, clock } = parts;
  const { clusterRequests } = config;
  const poolTypes = poolTypesOf(clusterRequests);
  const targets = notifyTargets(clusterRequests, log);
  const wrong = [poolTypes, targets].flatMap((one) => (one.ok ? [] : [one.error.message]));
  if (!poolTypes.ok || !targets.ok) return failed('invalid', wrong.join('\n'));
  // The metrics come with the functions, which are put together later.
  let metrics: Metrics | undefined;
  const opened = await openPlaces({
    ...parts,
    onArmCall: ({ verb: method, resource, status, seconds }) =>
      metrics?.azureApiDuration.observe({ resource, method, status: status?.toString() ?? 'none' }, seconds),
    poolTypes: poolTypes.value,
    policy: policyOf(clusterRequests),
    targets: targets.value,
    post: postBy(env, clock),
  });
  if (!opened.ok) return opened;
  const { places, close } = opened.value;
  const byName = new Map(places.map((place) => [place.name, place]));
  const openNewCluster = newClusters(parts);
  const register = registerOf(config, state);
  return ok({
    close,
    servicesFor(functions) {
      metrics = functions.metrics;
      return {
        deployment: config.deployment,
        place: (name) => byName.get(name),
        places,
        openNewCluster,
        register,
        definitions: () => newClusterDefinitions(),
        ownership: functions.ownership,
        state,
        // A host may have another way to its engine for each call.
        get workflows() {
          return functions.workflows;
        },
        clock,
        ids: parts.ids,
        random: parts.random,
        log,
        metrics,
      };
    },
  });
}
