/** What the registry loads for the provider `remote`. Its code follows with the first call. */
import { ok } from '../../base/result.ts';
import { lazyProvider } from '../lazy.ts';
import type { ProviderModule } from '../manifest.ts';
import type { OptionalMethods } from '../wrap.ts';
import { remoteFacts } from './facts.ts';
import { readRemoteOptions } from './options.ts';
import type { RemoteProvider } from './provider.ts';

const has: OptionalMethods<RemoteProvider> = {
  place: false,
  roomToCreate: false,
  resolveNodeClass: true,
  check: true,
  quota: false,
  adopt: false,
  tidy: true,
};

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const options = readRemoteOptions(given, context.env, context.cluster);
  if (!options.ok) return options;
  return ok(
    lazyProvider(remoteFacts(options.value), has, async () => {
      const { assembleRemote } = await import('./assemble.ts');
      return assembleRemote(options.value, context);
    }),
  );
};
