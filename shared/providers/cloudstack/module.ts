/** What the registry loads for the provider `cloudstack`. Its code follows with the first call. */
import { ok } from '../../base/result.ts';
import { lazyProvider } from '../lazy.ts';
import type { ProviderModule } from '../manifest.ts';
import type { OptionalMethods } from '../wrap.ts';
import { cloudStackFacts } from './facts.ts';
import { readCloudStackOptions } from './options.ts';
import type { CloudStackProvider } from './provider.ts';

const has: OptionalMethods<CloudStackProvider> = {
  place: true,
  roomToCreate: true,
  resolveNodeClass: true,
  check: true,
  quota: true,
  adopt: true,
  tidy: true,
};

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const options = readCloudStackOptions(given, context.env, context.cluster);
  if (!options.ok) return options;
  return ok(
    lazyProvider(cloudStackFacts(options.value), has, async () => {
      const { assembleCloudStack } = await import('./assemble.ts');
      return assembleCloudStack(options.value, context);
    }),
  );
};
