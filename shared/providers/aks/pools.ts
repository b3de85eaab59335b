/** The provider `aks` at one cluster: what is loaded when something is asked of Azure. */
import { aksCatalogue, normalLocation } from '../azure/catalogue/aks.ts';
import type { AzureConnection } from '../azure/connection.ts';
import { armJson, publicJson } from '../azure/fetch-json.ts';
import type { ClusterPlace } from '../azure/pools/place.ts';
import { createPoolProvider } from '../azure/pools/provider.ts';
import type { ProviderContext } from '../context.ts';
import { createAksAgentPools } from './client/agent-pools.ts';
import { aksKind } from './kind.ts';

interface Parts {
  place: ClusterPlace;
  location: string;
  connection: AzureConnection;
  context: ProviderContext;
}

export function openAksPools({ place, location, connection, context }: Parts) {
  const { options } = connection;
  const { subscription, cloud, prices } = options;
  return createPoolProvider({
    kind: aksKind({ ...place, location: normalLocation(location) }),
    pools: createAksAgentPools(connection, place),
    catalogue: aksCatalogue({
      context,
      endpoint: cloud.armEndpoint,
      subscriptionId: subscription,
      location,
      arm: armJson(connection, `what Azure sells in ${location}`),
      ...(prices ? { prices: pricesOf(cloud.pricesUrl, publicJson(connection, 'the prices of Azure')) } : {}),
    }),
    context,
    options,
  });
}

const pricesOf = (url: string | undefined, fetchJson: ReturnType<typeof publicJson>) => ({
  fetchJson,
  ...(url === undefined ? {} : { url }),
});
