/** What the registry loads for the provider `ec2`. Its code follows with the first call, and the SDKs of AWS when they are needed. */
import { ok } from '../../base/result.ts';
import type { ProviderModule } from '../registry.ts';
import { ec2Facts } from './facts.ts';
import { lazyEc2 } from './lazy.ts';
import { readEc2Options } from './options.ts';

export const createProvider: ProviderModule['createProvider'] = async (given, context) => {
  const options = readEc2Options(given, context.env);
  if (!options.ok) return options;
  return ok(
    lazyEc2(ec2Facts(options.value), async () => {
      const { assembleEc2 } = await import('./assemble.ts');
      return assembleEc2(options.value, context);
    }),
  );
};
