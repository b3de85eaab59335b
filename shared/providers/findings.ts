/** How providers put what they found into words: for `check`. */
import type { Check } from '../base/checks.ts';
import type { Failure } from '../base/result.ts';

/** The code of a failure in the catalog of errors. */
const codes: Partial<Record<Failure['kind'], string>> = {
  unauthorised: 'Unauthorized',
  throttled: 'Throttled',
  'not-found': 'DependencyNotFound',
};

export const passed = (name: string, message: string): Check => ({ name, state: 'pass', message });

/** A cloud that asks for a pause can work, only not now; all else is in the way of every claim. */
export function foundWrong(name: string, { kind, message }: Failure, repair: string): Check {
  const code = codes[kind] ?? 'ProviderUnavailable';
  return { name, state: kind === 'throttled' ? 'warn' : 'fail', message, code, repair };
}

/** Without it claims still get their machines. */
export const foundLacking = (name: string, failure: Failure, repair: string): Check => ({
  ...foundWrong(name, failure, repair),
  state: 'warn',
});
