/** What the registry loads for the provider `ec2`. Its code follows with the first call, and the SDKs of AWS when they are needed. */
import { ok } from '../../base/result.ts';
import { lazyProvider } from '../lazy.ts';
import type { ProviderModule } from '../manifest.ts';
import type { OptionalMethods } from '../wrap.ts';
import { ec2Facts } from './facts.ts';
import { readEc2Options } from './options.ts';
import type { Ec2Provider } from './provider.ts';

const has: OptionalMethods<Ec2Provider> = {
  place: true,
  roomToCreate: true,
  resolveNodeClass: true,
  check: true,
  quota: false,
  adopt: true,
  tidy: false,
};

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const options = readEc2Options(given, context.env);
  if (!options.ok) return options;
  return ok(
    lazyProvider(ec2Facts(options.value), has, async () => {
      const { assembleEc2 } = await import('./assemble.ts');
      return assembleEc2(options.value, context);
    }),
  );
};
