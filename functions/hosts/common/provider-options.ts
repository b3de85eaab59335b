/** What a provider is given of the configuration: the fields of its type, and what the cluster says instead. */
import type { Json } from '../../../shared/base/json.ts';
import type { ClusterConfig, ProviderConfig } from '../../../shared/config/load.ts';
import { providerFieldNames } from '../../../shared/config/provider-schema.ts';
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';

/** Every provider has these. */
const timing = ['writeSeconds', 'latenessSeconds', 'listLagSeconds'];

export function providerOptions(config: ProviderConfig | undefined, cluster: ClusterConfig): Json {
  const known = providerFieldNames.find(({ type }) => type === config?.type);
  if (!config || !known) return {};
  const all: Readonly<Record<string, unknown>> = config;
  const manifest: ProviderManifest | undefined = manifestOf(config.type);
  const said = sectionOf(cluster, manifest?.perCluster?.section);
  // Types share sections, and the rest is said to others.
  const instead = Object.fromEntries(known.ofSection.map((field) => [field, said[field]]));
  const options = Object.fromEntries([...known.names, ...timing].map((field) => [field, instead[field] ?? all[field]]));
  // Options are JSON, and `undefined` is none.
  return JSON.parse(JSON.stringify({ ...instead, ...options })) as Json;
}

const sectionOf = (cluster: object, section = ''): Readonly<Record<string, unknown>> =>
  (cluster as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[section] ?? {};
