/** The way to Azure Resource Manager by the identity of a provider, for who makes more than machines: whole clusters. */
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { type AzureConnection, connectAzure } from '../../platforms/azure/connection.ts';
import { readAzureOptions } from './options.ts';

export interface ResourceManager {
  /** Closed by whoever opened it. */
  connection: AzureConnection;
  subscription: string;
}

export function openResourceManager(given: Json, context: { clock: Clock; env: Environment }): Result<ResourceManager> {
  const read = readAzureOptions(given, context.env);
  if (!read.ok) return read;
  return ok({ connection: connectAzure(read.value, context), subscription: read.value.subscription });
}
