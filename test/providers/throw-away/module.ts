import { ok } from '../../../shared/base/result.ts';
import type { ProviderModule } from '../../../shared/providers/manifest.ts';
import { createSimProvider } from '../../../shared/providers/sim/provider.ts';
import { callOn, factsWith, optionalMethodsOf, wrapProvider } from '../../../shared/providers/wrap.ts';
import { throwAwayClass } from './kinds.ts';

/** What it was given, for the test to see. */
export const given: unknown[] = [];

export const createProvider: ProviderModule['createProvider'] = async (options, { clock }) => {
  given.push(options);
  const { address } = options as { address: string };
  const sim = createSimProvider({ url: address, clock });
  const facts = factsWith(sim, { name: 'throw-away', nodeClasses: [throwAwayClass] });
  const provider = wrapProvider(facts, optionalMethodsOf(sim), (method, values) => callOn(sim, method, values));
  return ok(Object.assign(provider, { close: () => sim.close() }));
};
