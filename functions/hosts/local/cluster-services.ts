/** Clusters and providers as the configuration has them, connected and ready for the lifecycle. */
import { settleSeconds } from '../../../shared/claims/attempt.ts';
import { failed, ok, type Result } from '../../../shared/claims/errors.ts';
import { type ClusterApi, type KubeObject, namespaces } from '../../../shared/cluster/contract.ts';
import { connectCluster } from '../../../shared/cluster/http.ts';
import { readKubeconfig } from '../../../shared/cluster/kubeconfig.ts';
import { clusterSettingsSource } from '../../../shared/cluster-settings.ts';
import type { ClusterConfig, Config, ProviderConfig } from '../../../shared/config.ts';
import type { Json } from '../../../shared/json.ts';
import type { ClusterServices } from '../../../shared/lifecycle/services.ts';
import type { Log } from '../../../shared/log.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import type { Provider } from '../../../shared/providers/contract.ts';
import { meterProvider } from '../../../shared/providers/metered.ts';
import { createProviderRegistry, type ProviderRegistry } from '../../../shared/providers/registry.ts';
import type { Clock } from '../../../shared/runtime.ts';

export interface ConnectedClusters {
  readonly clusters: readonly ClusterServices[];
  close(): void;
}

export interface Parts {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

const requestTimeoutMs = 30_000;

export async function connectClusters(parts: Parts): Promise<Result<ConnectedClusters>> {
  const { config } = parts;
  const registry = makeRegistry(parts);
  if (!registry.ok) return registry;
  const clusters: ClusterServices[] = [];
  for (const [name, cluster] of Object.entries(config.clusters)) {
    const api = connect(parts, name, cluster);
    if (!api.ok) return api;
    const providers = await registry.value.forCluster(name);
    if (!providers.ok) return providers;
    clusters.push({
      name,
      api: api.value,
      identity: rememberIdentity(api.value),
      providers: providers.value.providers,
      providerFor: providers.value.providerFor,
      ...(cluster.maxInstances === undefined ? {} : { maxInstances: cluster.maxInstances }),
      paused: cluster.paused,
      settings: clusterSettingsSource({ api: api.value, clock: parts.clock, log: parts.log, ...cluster.settings }),
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

function connect({ clock, log }: Parts, name: string, cluster: ClusterConfig): Result<ClusterApi> {
  const common = { name, clock, log, requestTimeoutMs, fieldManager: 'poolwright', maxSockets: 128 };
  if (cluster.kubeconfig !== undefined) {
    const read = readKubeconfig(cluster.kubeconfig, cluster.context);
    if (!read.ok) return failed('invalid', `clusters.${name}.kubeconfig: ${read.text}`);
    return ok(connectCluster({ ...common, ...read.access }));
  }
  const { server = '', token, tokenFile } = cluster;
  return ok(connectCluster({ ...common, url: server, token, tokenFile }));
}

/** It never changes, so one good answer serves for ever; a failed one is asked again. */
function rememberIdentity(api: ClusterApi): () => Promise<Result<string>> {
  let known: string | undefined;
  return async () => {
    if (known !== undefined) return ok(known);
    const answer = await api.get<KubeObject>(namespaces, { name: 'kube-system' });
    if (!answer.ok) return answer;
    known = answer.value.metadata.uid;
    return ok(known);
  };
}

function makeRegistry({ config, clock, metrics }: Parts): Result<ProviderRegistry> {
  const clusters = Object.fromEntries(
    Object.entries(config.clusters).map(([name, cluster]) => [
      name,
      cluster.providers.map((provider) => ({
        provider: config.providers[provider]?.type ?? provider,
        options: optionsOf(config.providers[provider]),
      })),
    ]),
  );
  /** A registry knows providers by their type, everybody else by the name that the configuration gives them. */
  const configured = (cluster: string, type: string): string =>
    config.clusters[cluster]?.providers.find((name) => config.providers[name]?.type === type) ?? type;
  return createProviderRegistry({
    clusters,
    clock,
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
  return { ...provider, name, traits };
}

/** What the provider's own code reads; the rest of its configuration is for us. */
function optionsOf(config: ProviderConfig | undefined): Json {
  if (!config) return {};
  const { url, idempotency, writeSeconds, latenessSeconds, listLagSeconds } = config;
  const options = { url, idempotency, writeSeconds, latenessSeconds, listLagSeconds };
  return JSON.parse(JSON.stringify(options));
}
