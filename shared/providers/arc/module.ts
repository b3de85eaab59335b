/** What the registry loads for the provider `arc`. Its code follows with the first call, and the SDKs of Azure when they are needed. */
import { ok } from '../../base/result.ts';
import { connectAzure } from '../../platforms/azure/connection.ts';
import { readAzureOptions } from '../agent-pools/options.ts';
import { poolFacts } from '../agent-pools/pools/facts.ts';
import { lazyPoolProvider } from '../agent-pools/pools/lazy-provider.ts';
import type { ProviderModule } from '../manifest.ts';
import { arcShape } from './shape.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const read = readAzureOptions(given, context.env);
  if (!read.ok) return read;
  const options = read.value;
  const connection = connectAzure(options, context);
  return ok(
    lazyPoolProvider({
      options,
      context,
      facts: (place) => poolFacts(arcShape(place), options),
      open: async (place) => {
        const { openArcPools } = await import('./pools.ts');
        return openArcPools({ place, connection, context });
      },
      close: connection.close,
    }),
  );
};
