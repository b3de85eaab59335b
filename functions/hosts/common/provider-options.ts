/** What a provider's own code reads of the configuration; the rest of its fields is for the host. */

import type { Json } from '../../../shared/base/json.ts';
import type { ClusterConfig, ProviderConfig } from '../../../shared/config/load.ts';

/** What a cluster says for itself comes before what its provider says for all. */
export function providerOptions(
  config: ProviderConfig | undefined,
  cluster: Pick<ClusterConfig, 'azure' | 'aws'>,
): Json {
  if (!config) return {};
  const { type, url, idempotency, paused: _, deadlines: __, credential, cloud, ...rest } = config;
  const { writeSeconds, latenessSeconds, listLagSeconds } = rest;
  const options =
    type === 'sim'
      ? { url, idempotency, writeSeconds, latenessSeconds, listLagSeconds }
      : type === 'ec2'
        ? { ...rest, ...withoutNothing(cluster.aws) }
        : { ...rest, credential, cloud, ...withoutNothing(cluster.azure) };
  // Options are JSON, and `undefined` is none.
  return JSON.parse(JSON.stringify(options)) as Json;
}

function withoutNothing<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
