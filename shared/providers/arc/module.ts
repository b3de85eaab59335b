/** What the registry loads for the provider `arc`. The SDKs of Azure are loaded with the first call, not with this. */
import { ok } from '../../claims/errors.ts';
import { connectAzure } from '../azure/connection.ts';
import { readAzureOptions } from '../azure/options.ts';
import { placedProvider } from '../azure/pools/place.ts';
import { createPoolProvider } from '../azure/pools/provider.ts';
import type { ProviderModule } from '../registry.ts';
import { createArcAgentPools } from './client/agent-pools.ts';
import { customLocationCatalogue } from './custom-location.ts';
import { type ArcPlace, arcKind } from './kind.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const read = readAzureOptions(given, context.env);
  if (!read.ok) return read;
  const options = read.value;
  const { subscription, resourceGroup, customLocation } = options;
  const connection = connectAzure(options, context);
  const open = (place: ArcPlace) => {
    const named = { ...place, clusterName: place.clusterName ?? '' };
    const cluster = customLocation === undefined ? named : { ...named, customLocation };
    return createPoolProvider({
      kind: arcKind(place),
      pools: createArcAgentPools(connection, cluster),
      catalogue: customLocationCatalogue(connection, cluster, context),
      context,
      options,
    });
  };
  const unplaced = open({ subscription, resourceGroup });
  return ok(placedProvider({ options, context, open, unplaced, close: connection.close }));
};
