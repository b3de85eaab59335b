/** What a provider is given of the configuration: the fields of its type, and what the cluster says instead. */
import * as fields from '../../../shared/base/fields.ts';
import type { Json } from '../../../shared/base/json.ts';
import type { ClusterConfig, ProviderConfig } from '../../../shared/config/load.ts';
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';

/** Every provider has these. */
const timing = ['writeSeconds', 'latenessSeconds', 'listLagSeconds'];

export function providerOptions(config: ProviderConfig | undefined, cluster: ClusterConfig): Json {
  const manifest: ProviderManifest | undefined = config && manifestOf(config.type);
  if (!config || !manifest) return {};
  const all: Readonly<Record<string, unknown>> = config;
  const own = [...Object.keys(manifest.options(fields)), ...timing];
  const instead = insteadOf(manifest, cluster);
  const options = Object.fromEntries(own.map((field) => [field, instead[field] ?? all[field]]));
  // Options are JSON, and `undefined` is none.
  return JSON.parse(JSON.stringify({ ...instead, ...options })) as Json;
}

/** Its fields of the section: types share sections, and the rest is said to others. */
function insteadOf({ perCluster }: ProviderManifest, cluster: ClusterConfig): Readonly<Record<string, unknown>> {
  if (perCluster === undefined) return {};
  const said = sectionOf(cluster, perCluster.section);
  return Object.fromEntries(Object.keys(perCluster.fields(fields)).map((field) => [field, said[field]]));
}

const sectionOf = (cluster: object, section: string): Readonly<Record<string, unknown>> =>
  (cluster as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[section] ?? {};
