/** The provider `aks` at one cluster: what is loaded when something is asked of Azure. */

import { defined } from '../../base/defined.ts';
import type { AzureConnection } from '../../platforms/azure/connection.ts';
import { armJson, publicJson } from '../../platforms/azure/fetch-json.ts';
import { aksCatalog, normalLocation } from '../agent-pools/catalog/aks.ts';
import type { AzureOptions } from '../agent-pools/options.ts';
import type { ClusterCoordinates } from '../agent-pools/pools/lazy-provider.ts';
import { createPoolProvider } from '../agent-pools/pools/provider.ts';
import type { ProviderContext } from '../context.ts';
import { createAksAgentPools } from './client/agent-pools.ts';
import { aksKind } from './kind.ts';

interface Parts {
  place: ClusterCoordinates;
  location: string;
  connection: AzureConnection<AzureOptions>;
  context: ProviderContext;
}

export function openAksPools({ place, location, connection, context }: Parts) {
  const { options } = connection;
  const { subscription, cloud, prices } = options;
  const pools = createAksAgentPools(connection, place);
  const catalog = aksCatalog({
    context,
    endpoint: cloud.armEndpoint,
    subscriptionId: subscription,
    location,
    arm: armJson(connection, `the Azure offerings in ${location}`),
    ...(prices ? { prices: pricesOf(cloud.pricesUrl, publicJson(connection, 'the Azure prices')) } : {}),
  });
  const sizes = (signal: AbortSignal) => catalog.instanceTypes({ name: 'check', spec: {} }, signal);
  const cluster = `/subscriptions/${place.subscription}/resourceGroups/${place.resourceGroup}/providers/Microsoft.ContainerService/managedClusters/${place.clusterName}`;
  return createPoolProvider({
    kind: aksKind({ ...place, location: normalLocation(location) }),
    pools,
    catalog,
    context,
    options,
    check: async (signal) => {
      const { checkAzure } = await import('../agent-pools/check.ts');
      return checkAzure({ kind: 'aks', connection, cluster, pools, sizes }, signal);
    },
  });
}

const pricesOf = (url: string | undefined, fetchJson: ReturnType<typeof publicJson>) => ({
  fetchJson,
  ...defined({ url }),
});
