/** Which cluster the pools are made in: what the cluster says about itself wins over the configuration of the host. */
import { failed, ok, type Result } from '../../../claims/errors.ts';
import type { ProviderContext } from '../../context.ts';
import type { AzureOptions } from '../options.ts';

export interface ClusterPlace {
  subscription: string;
  resourceGroup: string;
  clusterName: string;
}

export async function clusterPlace(
  { subscription, resourceGroup, clusterName: configured }: AzureOptions,
  { settings }: Pick<ProviderContext, 'settings'>,
): Promise<Result<ClusterPlace>> {
  const current = await settings.current();
  // Pools in the wrong cluster are worse than none for a while.
  if (!current.ok)
    return failed(current.error.kind, `options.clusterName: can't be told now: ${current.error.message}`);
  const clusterName = current.value.azure.clusterName || configured;
  if (clusterName === undefined) {
    const ways = "set it, AZURE_CLUSTER_NAME, or settings.azure.clusterName in the chart's values";
    return failed('invalid', `options.clusterName: is missing; ${ways}`);
  }
  return ok({ subscription, resourceGroup, clusterName });
}
