/** Clusters and providers as the configuration has them, connected and ready for the lifecycle. */

import { defined } from '../../../shared/base/defined.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Clock, Random } from '../../../shared/base/runtime.ts';
import type { RegisteredCluster } from '../../../shared/clusters/registered/contract.ts';
import type { ClusterConfig, Config, ProviderConfig } from '../../../shared/config/load.ts';
import {
  azureTypes,
  type ClusterSettingsSource,
  clusterSettingsSource,
  notConfigured,
} from '../../../shared/kube/cluster-settings.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import { settleSeconds } from '../../../shared/nodes/claims/attempt/attempt.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';
import { createIdentities } from '../../../shared/ownership/identities.ts';
import type { ProviderContext } from '../../../shared/providers/context.ts';
import type { Provider } from '../../../shared/providers/contract.ts';
import { meterProvider } from '../../../shared/providers/metered.ts';
import { nodeLookup } from '../../../shared/providers/node-lookup.ts';
import { createProviderRegistry, type ProviderRegistry } from '../../../shared/providers/registry.ts';
import { secretLookup } from '../../../shared/providers/secret-lookup.ts';
import { callOn, factsWith, optionalMethodsOf, wrapProvider } from '../../../shared/providers/wrap.ts';
import type { State } from '../../../shared/state/contract.ts';
import { callReports } from './call-reports.ts';
import { cloudReports } from './checks/cloud-health.ts';
import { clusterOpeners } from './cluster-access.ts';
import { providerOptions } from './provider-options.ts';
import { openerByKubeconfig } from './registered-clusters.ts';
import { recordedIdentity } from './requests/recorded-identity.ts';

export interface ConnectedClusters {
  readonly clusters: readonly ClusterServices[];
  close(): void;
}

export interface Parts {
  config: Config;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  state: State;
  /** For proxies, kubeconfigs, service accounts, and commands that get credentials. */
  env: Readonly<Record<string, string | undefined>>;
  /** A function that acts for providers of one type knows no other, and no cluster without one of them. */
  onlyType?: string;
  /** Those of the clusters that requests have made. */
  records?: ReadonlyMap<string, RegisteredCluster>;
  /** Clusters that are connected already: kubeconfigs of registered ones are there. */
  apiOf?: (cluster: string) => ClusterApi | undefined;
  /** Every cluster that this deployment knows, where it knows more than the configuration names. */
  identityNames?: readonly string[];
}

const requestTimeoutMs = 30_000;
/** A host that swallows every packet is found out long before a slow answer would be given up. */
const connectTimeoutMs = 5000;

export async function connectClusters(parts: Parts): Promise<Result<ConnectedClusters>> {
  const { config, records = new Map<string, RegisteredCluster>() } = parts;
  const contexts = new Map<string, ProviderContext>();
  const registry = makeRegistry(parts, contexts);
  if (!registry.ok) return registry;
  const clusters: ClusterServices[] = [];
  const names = parts.identityNames ?? Object.keys(config.clusters);
  const identities = createIdentities({ names, state: parts.state, clock: parts.clock, log: parts.log });
  const openers = await clusterOpeners(parts, (name) => records.get(name)?.access.kind === 'secret');
  if (!openers.ok) return openers;
  const apiOf = (name: string) => clusters.find((one) => one.name === name)?.api ?? parts.apiOf?.(name);
  for (const [name, cluster] of Object.entries(config.clusters)) {
    const record = records.get(name);
    const recorded = record && recordedIdentity(record);
    const open = record?.access.kind === 'secret' ? openerByKubeconfig(record.access, apiOf) : openers.value.get(name);
    if (open === undefined || (parts.onlyType !== undefined && servedBy(parts, cluster).length === 0)) continue;
    const api = open({
      name,
      clock: parts.clock,
      log: parts.log,
      env: parts.env,
      requestTimeoutMs,
      connectTimeoutMs,
      fieldManager: 'poolwright',
      maxSockets: 128,
      refuse: (asked) => identities.refusalOf(name, asked) ?? recorded?.refusalOf(asked),
    });
    const types = cluster.providers.map((one) => config.providers[one]?.type ?? one);
    const settings = clusterSettingsSource({
      api,
      clock: parts.clock,
      log: parts.log,
      providerTypes: types,
      ...cluster.settings,
    });
    const { clock, random, log, state, env } = parts;
    contexts.set(name, {
      cluster: name,
      clock,
      random,
      log,
      state,
      nodes: nodeLookup(api),
      secrets: secretLookup(api),
      settings,
      reports: cloudReports({ ...parts, cluster: name }),
      calls: callReports(parts.metrics),
      env,
    });
    const providers = await registry.value.forCluster(name);
    if (!providers.ok) return providers;
    clusters.push({
      name,
      api,
      identity: recorded?.checked(identities.identityOf(api)) ?? identities.identityOf(api),
      collectable: identities.collectable(api),
      confirmIdentity: identities.confirm(api),
      providers: providers.value.providers,
      providerTypes: new Map(cluster.providers.map((one, index) => [one, types[index] ?? one])),
      serving: providers.value.serving,
      preferredProviders: (signal) => preferredProviders(settings, { ...cluster, name }, types, env, signal),
      ...defined({ maxInstances: cluster.maxInstances }),
      maxReplicas: cluster.maxReplicas,
      deletionsPerMinute: cluster.deletionsPerMinute,
      paused: cluster.paused,
      settings,
      pausedProviders: new Set(cluster.providers.filter((one) => config.providers[one]?.paused)),
      garbageCollection: {
        ...cluster.garbageCollection,
        // What may still appear or disappear by itself is not looked at twice before it has.
        graceSeconds: Math.max(
          cluster.garbageCollection.graceSeconds,
          ...providers.value.providers.map(({ traits }) => settleSeconds(traits)),
        ),
      },
    });
  }
  const close = (): void => {
    for (const { api } of clusters) api.close();
    registry.value.close();
  };
  return ok({ clusters, close });
}

/** The names of the providers that this process knows of those that serve the cluster. */
const servedBy = ({ config, onlyType }: Parts, { providers }: ClusterConfig): readonly string[] =>
  onlyType === undefined ? providers : providers.filter((name) => config.providers[name]?.type === onlyType);

/** Says which clusters answer; nobody waits for it. */
export async function lookAtClusters(clusters: readonly ClusterServices[], log: Log): Promise<void> {
  await Promise.all(
    clusters.map(async ({ name, identity }) => {
      const answer = await identity();
      if (answer.ok) log.write('cluster.reached', { cluster: name, uid: answer.value });
      else log.write('cluster.unreachable', { cluster: name, problem: answer.error.message });
    }),
  );
}

function makeRegistry(parts: Parts, contexts: ReadonlyMap<string, ProviderContext>): Result<ProviderRegistry> {
  const { config, clock, metrics } = parts;
  const clusters = Object.fromEntries(
    Object.entries(config.clusters).map(([name, cluster]) => [
      name,
      servedBy(parts, cluster).map((provider) => ({
        provider: config.providers[provider]?.type ?? provider,
        options: providerOptions(config.providers[provider], cluster),
        name: provider,
      })),
    ]),
  );
  /** A registry knows providers by their type, everybody else by the name that the configuration gives them. */
  const configured = (cluster: string, type: string): string =>
    config.clusters[cluster]?.providers.find((name) => config.providers[name]?.type === type) ?? type;
  return createProviderRegistry({
    clusters,
    contextOf: (cluster) => {
      const context = contexts.get(cluster);
      if (!context) throw new Error(`the providers of cluster ${cluster} were used before the cluster was connected`);
      return context;
    },
    decorate: (provider, cluster) => {
      const name = configured(cluster, provider.name);
      const metered = meterProvider(provider, {
        clock,
        onCall: ({ method, seconds, error }) => {
          const labels = { controller: 'poolwright', method, provider: name };
          metrics.providerCallDuration.observe(labels, seconds);
          if (error !== undefined) metrics.providerErrors.inc({ ...labels, error });
        },
      });
      return withConfig(metered, name, config.providers[name]);
    },
  });
}

/**
 * The cluster's own word comes before the host's; the environment speaks for hosts that have no configuration file; at last managed
 * clusters, whatever the order in the configuration. Only providers of Azure can serve the same claims.
 */
export async function preferredProviders(
  settings: ClusterSettingsSource,
  { name, defaultProvider }: Pick<ClusterConfig, 'defaultProvider'> & { name: string },
  types: readonly string[],
  env: Parts['env'],
  signal?: AbortSignal,
): Promise<Result<readonly string[]>> {
  if (!azureTypes.some((type) => types.includes(type))) return ok(defaultProvider ? [defaultProvider] : []);
  const said = await settings.current(signal);
  if (!said.ok) return said;
  const lacking = notConfigured(said.value, types, name);
  if (lacking !== undefined) return failed('not-ready', lacking);
  const names = [said.value.azure.providerType, defaultProvider, env.AZURE_PROVIDER_TYPE, azureTypes[0]];
  return ok(names.flatMap((one) => (one ? [one] : [])));
}

function withConfig(provider: Provider, name: string, config: ProviderConfig | undefined): Provider {
  const { launch, registration, initialization } = config?.deadlines ?? {};
  const { deadlines } = provider.traits;
  const traits = {
    ...provider.traits,
    deadlines: {
      launchSeconds: launch ?? deadlines.launchSeconds,
      registrationSeconds: registration ?? deadlines.registrationSeconds,
      initializationSeconds: initialization ?? deadlines.initializationSeconds,
    },
  };
  return wrapProvider(factsWith(provider, { name, traits }), optionalMethodsOf(provider), (method, values) =>
    callOn(provider, method, values),
  );
}
