/** What the registry loads for the provider `aks`. Its code follows with the first call, and the SDKs of Azure when they are needed. */

import { missingOption } from '../../base/option-problems.ts';
import { failedBy } from '../../base/problems.ts';
import { ok } from '../../base/result.ts';
import { connectAzure } from '../../platforms/azure/connection.ts';
import { readAzureOptions } from '../agent-pools/options.ts';
import { poolFacts } from '../agent-pools/pools/facts.ts';
import { lazyPoolProvider } from '../agent-pools/pools/lazy-provider.ts';
import type { ProviderModule } from '../manifest.ts';
import { aksShape } from './shape.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const read = readAzureOptions(given, context.env);
  if (!read.ok) return read;
  const options = read.value;
  const { location } = options;
  if (location === undefined) return failedBy([missingOption('location', 'LOCATION')]);
  const connection = connectAzure(options, context);
  return ok(
    lazyPoolProvider({
      options,
      context,
      facts: (place) => poolFacts(aksShape({ ...place, location }), options),
      open: async (place) => {
        const { openAksPools } = await import('./pools.ts');
        return openAksPools({ place, location, connection, context });
      },
      close: connection.close,
    }),
  );
};
