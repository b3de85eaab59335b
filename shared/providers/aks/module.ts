/** What the registry loads for the provider `aks`. The SDKs of Azure are loaded with the first call, not with this. */
import { failed, ok } from '../../claims/errors.ts';
import { aksCatalogue, normalLocation } from '../azure/catalogue/aks.ts';
import { connectAzure } from '../azure/connection.ts';
import { armJson, publicJson } from '../azure/fetch-json.ts';
import { readAzureOptions } from '../azure/options.ts';
import { placedProvider } from '../azure/pools/place.ts';
import { createPoolProvider } from '../azure/pools/provider.ts';
import type { ProviderModule } from '../registry.ts';
import { createAksAgentPools } from './client/agent-pools.ts';
import { type AksPlace, aksKind } from './kind.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const read = readAzureOptions(given, context.env);
  if (!read.ok) return read;
  const options = read.value;
  const { location, subscription, resourceGroup, cloud, prices } = options;
  if (location === undefined) return failed('invalid', 'options.location: is missing; set it, or LOCATION');
  const connection = connectAzure(options, context);
  const open = (place: Omit<AksPlace, 'location'>) =>
    createPoolProvider({
      kind: aksKind({ ...place, location: normalLocation(location) }),
      pools: createAksAgentPools(connection, { ...place, clusterName: place.clusterName ?? '' }),
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
  const unplaced = open({ subscription, resourceGroup });
  return ok(placedProvider({ options, context, open, unplaced, close: connection.close }));
};

const pricesOf = (url: string | undefined, fetchJson: ReturnType<typeof publicJson>) => ({
  fetchJson,
  ...(url === undefined ? {} : { url }),
});
