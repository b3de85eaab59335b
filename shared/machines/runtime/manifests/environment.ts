/** What a provider is told by its environment: the names are those that VirtRigaud's manager sets, so its images run as they are. */
import type { Json } from '../../../base/json.ts';
import type { ProviderObject } from '../object.ts';
import type { RuntimeTls } from './manifests.ts';

/** Settings in the ConfigMap, which every container of the provider reads. */
export function settingsOf({ spec }: ProviderObject): Record<string, string> {
  const { rateLimit = {}, connectionPooling: pool = {} } = spec;
  return {
    RATE_LIMIT_QPS: String(rateLimit.qps ?? 10),
    RATE_LIMIT_BURST: String(rateLimit.burst ?? 20),
    CONNECTION_MAX: String(pool.maxConnections ?? 10),
    CONNECTION_MAX_IDLE: String(pool.maxIdleConnections ?? 5),
    CONNECTION_TIMEOUT: pool.connectionTimeout ?? '30s',
    CONNECTION_IDLE_TIMEOUT: pool.idleTimeout ?? '5m',
  };
}

export function environmentOf(provider: ProviderObject, tls: RuntimeTls): Json[] {
  const { metadata, spec } = provider;
  const { runtime, defaults = {} } = spec;
  const own: Record<string, string | undefined> = {
    PROVIDER_TYPE: spec.type,
    PROVIDER_ENDPOINT: spec.endpoint,
    PROVIDER_NAME: metadata.name,
    PROVIDER_NAMESPACE: metadata.namespace,
    TLS_ENABLED: String(tls.kind === 'mutual'),
    TLS_INSECURE_SKIP_VERIFY: String(skipsVerification(provider)),
    LOG_LEVEL: runtime.logLevel ?? 'info',
    LOG_FORMAT: runtime.logFormat ?? 'text',
    PROVIDER_DEFAULT_DATASTORE: defaults.datastore,
    PROVIDER_DEFAULT_STORAGE_POD: defaults.storagePod,
    PROVIDER_DEFAULT_CLUSTER: defaults.cluster,
    PROVIDER_DEFAULT_FOLDER: defaults.folder,
    PROVIDER_DEFAULT_RESOURCE_POOL: defaults.resourcePool,
    PROVIDER_DEFAULT_NETWORK: defaults.network,
    VIRTRIGAUD_PROVIDER_INSECURE: tls.kind === 'plain' ? 'true' : undefined,
    VIRTRIGAUD_PROVIDER_ALLOWED_SANS: tls.kind === 'mutual' ? tls.client : undefined,
  };
  const said = runtime.env ?? [];
  // What the author says comes last, and wins; a name that stands twice would be refused.
  const named = new Set(said.map(({ name }) => name));
  const set = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || value === '' || named.has(name) ? [] : [{ name, value }],
  );
  return [...set, ...said] as Json[];
}

/** It had another place in the spec once. */
const skipsVerification = ({ spec }: ProviderObject): boolean =>
  spec.insecureSkipVerify === true || spec.runtime.service?.tls?.insecureSkipVerify === true;
