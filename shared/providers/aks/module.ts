/** What the registry loads for the provider `aks`. The SDKs of Azure are loaded with the first call, not with this. */
import { failed, ok } from '../../claims/errors.ts';
import { aksCatalogue, normalLocation } from '../azure/catalogue/aks.ts';
import { connectAzure } from '../azure/connection.ts';
import { armJson, publicJson } from '../azure/fetch-json.ts';
import { readAzureOptions } from '../azure/options.ts';
import { clusterPlace } from '../azure/pools/place.ts';
import { createPoolProvider } from '../azure/pools/provider.ts';
import type { ProviderModule } from '../registry.ts';
import { createAksAgentPools } from './client/agent-pools.ts';
import { aksKind } from './kind.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const options = readAzureOptions(given, context.env);
  if (!options.ok) return options;
  const place = await clusterPlace(options.value, context);
  if (!place.ok) return place;
  const { location, subscription, cloud, prices } = options.value;
  if (location === undefined) return failed('invalid', 'options.location: is missing; set it, or LOCATION');
  const connection = connectAzure(options.value, context);
  const catalogue = aksCatalogue({
    context,
    endpoint: cloud.armEndpoint,
    subscriptionId: subscription,
    location,
    arm: armJson(connection, `what Azure sells in ${location}`),
    ...(prices ? { prices: pricesOf(cloud.pricesUrl, publicJson(connection, 'the prices of Azure')) } : {}),
  });
  const pools = createAksAgentPools(connection, place.value);
  return ok(
    createPoolProvider({
      kind: aksKind({ ...place.value, location: normalLocation(location) }),
      pools,
      close: connection.close,
      catalogue,
      context,
      options: options.value,
    }),
  );
};

const pricesOf = (url: string | undefined, fetchJson: ReturnType<typeof publicJson>) => ({
  fetchJson,
  ...(url === undefined ? {} : { url }),
});
