/** Where requests for clusters are made, each with its store and what carries them out. Another driver gets its line in `driverOf`. */
import type { Environment } from '../../../../shared/base/environment.ts';
import { failedBy, mistakesIn, type Problem, problemsBelow } from '../../../../shared/base/problems.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { Clock, Ids } from '../../../../shared/base/runtime.ts';
import { createArmDriver } from '../../../../shared/clusters/drivers/arm/driver.ts';
import type { MeasuredCall } from '../../../../shared/clusters/drivers/arm/measured-call.ts';
import { createAsoDriver } from '../../../../shared/clusters/drivers/aso/driver.ts';
import type { ClusterDriver } from '../../../../shared/clusters/drivers/contract.ts';
import { createNotifier } from '../../../../shared/clusters/notify/notifier.ts';
import type { NotifyTarget, Post } from '../../../../shared/clusters/notify/target.ts';
import type { Policy } from '../../../../shared/clusters/policy/policy.ts';
import type { PoolTypes } from '../../../../shared/clusters/pool-types/pool-type.ts';
import type { AzureFacts } from '../../../../shared/clusters/preflight/azure-facts.ts';
import { remembered } from '../../../../shared/clusters/preflight/remembered.ts';
import type { RequestPlace } from '../../../../shared/clusters/services.ts';
import { kubeRequestStore } from '../../../../shared/clusters/store/kube.ts';
import { stateRequestStore } from '../../../../shared/clusters/store/state.ts';
import type { ClusterConfig, Config } from '../../../../shared/config/load.ts';
import { type RequestPlaceConfig, requestPlacesOf, statePlace } from '../../../../shared/config/request-places.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import { clusterPausedBy } from '../../../../shared/nodes/pauses/pauses.ts';
import type { Log } from '../../../../shared/observe/log/log.ts';
import { aksFacts } from '../../../../shared/platforms/azure/catalog/aks-facts.ts';
import { manifestOf } from '../../../../shared/providers/manifests.ts';
import type { State } from '../../../../shared/state/contract.ts';
import { providerOptions } from '../provider-options.ts';
import { requestPolicy } from './policy.ts';
import { preflightOf } from './preflight.ts';

export interface PlaceParts {
  config: Config;
  /** Of the clusters that are connected. */
  apiOf(cluster: string): ClusterApi | undefined;
  state: State;
  clock: Clock;
  ids: Ids;
  log: Log;
  env: Environment;
  poolTypes: PoolTypes;
  policy: Policy;
  targets: readonly NotifyTarget[];
  post: Post;
  /** Each call of the driver `arm`. */
  onArmCall?: (call: MeasuredCall) => void;
}

export interface OpenPlaces {
  places: readonly RequestPlace[];
  close(): void;
}

/** Every mistake at once. A cluster that this process does not know is no place of its. */
export async function openPlaces(parts: PlaceParts): Promise<Result<OpenPlaces>> {
  const places: RequestPlace[] = [];
  const closings: (() => void)[] = [];
  const problems: Problem[] = [];
  for (const place of requestPlacesOf(parts.config)) {
    const api = parts.apiOf(place.name);
    if (place.name !== statePlace && api === undefined) continue;
    const driver = await driverOf(parts, place, api);
    if (!driver.ok) {
      problems.push(...problemsBelow(place.path, mistakesIn(driver.error)));
      continue;
    }
    closings.push(driver.value.close);
    places.push(placeOf(parts, place, driver.value, api));
  }
  const close = (): void => {
    for (const one of closings) one();
  };
  if (problems.length === 0) return ok({ places, close });
  close();
  return failedBy(problems);
}

function placeOf(
  parts: PlaceParts,
  { name, driftEvery, pollAtMost, retryAfter }: RequestPlaceConfig,
  { driver, azure }: OpenDriver,
  api: ClusterApi | undefined,
): RequestPlace {
  const { config, state, clock, ids, log, poolTypes, policy, targets, post } = parts;
  const { deployment } = config;
  const store = api === undefined ? stateRequestStore({ state, clock, ids }) : kubeRequestStore(api);
  return {
    name,
    store,
    driver,
    ...(api === undefined ? {} : { api }),
    poolTypes,
    settings: {
      driftSeconds: driftEvery,
      pollSeconds: pollAtMost,
      retrySeconds: retryAfter,
      graceSeconds: config.clusters[name]?.garbageCollection.graceSeconds ?? usualGraceSeconds,
    },
    preflight: preflightOf({ deployment, api, clock, azure }),
    ...(azure === undefined ? {} : { prices: pricesOf(azure) }),
    policy: requestPolicy(policy, store),
    notifier: createNotifier({ deployment, targets, api, post, state, clock, log }),
    paused: () => clusterPausedBy({ name, paused: config.clusters[name]?.paused ?? false }, state),
  };
}

const pricesOf =
  (azure: AzureFacts): NonNullable<RequestPlace['prices']> =>
  (location, signal = new AbortController().signal) =>
    azure.prices(location, signal);

const usualGraceSeconds = 60;

interface OpenDriver {
  driver: ClusterDriver;
  azure?: AzureFacts;
  close(): void;
}

async function driverOf(
  { config, clock, env, onArmCall }: PlaceParts,
  { name, driver, provider: providerName = '' }: RequestPlaceConfig,
  api: ClusterApi | undefined,
): Promise<Result<OpenDriver>> {
  const byOperator = driver === 'aso' && api !== undefined;
  if (byOperator && providerName === '') {
    return ok({ driver: createAsoDriver({ api, clock }), close: () => undefined });
  }
  const provider = config.providers[providerName];
  const load = provider && manifestOf(provider.type)?.resourceManager;
  if (load === undefined) {
    const message = `must be a provider of Azure; ${providerName} is of type ${provider?.type ?? 'unknown'}`;
    return failedBy([{ path: 'provider', message }]);
  }
  const { openResourceManager } = await load();
  const cluster = config.clusters[name] ?? ({} as ClusterConfig);
  const opened = openResourceManager(providerOptions(provider, cluster), { clock, env });
  if (!opened.ok) return opened;
  const { connection, subscription } = opened.value;
  return ok({
    driver: byOperator
      ? createAsoDriver({ api, clock })
      : createArmDriver({ connection, subscriptionId: subscription, onCall: onArmCall }),
    azure: remembered(aksFacts(connection, subscription), clock),
    close: () => connection.close(),
  });
}
