/** What the registry loads for the provider `arc`. The SDKs of Azure are loaded with the first call, not with this. */
import { ok } from '../../claims/errors.ts';
import { connectAzure } from '../azure/connection.ts';
import { readAzureOptions } from '../azure/options.ts';
import { clusterPlace } from '../azure/pools/place.ts';
import { createPoolProvider } from '../azure/pools/provider.ts';
import type { ProviderModule } from '../registry.ts';
import { createArcAgentPools } from './client/agent-pools.ts';
import { customLocationCatalogue } from './custom-location.ts';
import { arcKind } from './kind.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const options = readAzureOptions(given, context.env);
  if (!options.ok) return options;
  const place = await clusterPlace(options.value, context);
  if (!place.ok) return place;
  const { customLocation } = options.value;
  const connection = connectAzure(options.value, context);
  const cluster = { ...place.value, ...(customLocation === undefined ? {} : { customLocation }) };
  const pools = createArcAgentPools(connection, cluster);
  return ok(
    createPoolProvider({
      kind: arcKind(place.value),
      pools,
      close: connection.close,
      catalogue: customLocationCatalogue(connection, cluster, context),
      context,
      options: options.value,
    }),
  );
};
