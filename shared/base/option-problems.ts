/** Mistakes in the options of a provider, which its user wrote into the configuration or into variables. */
import { defined } from './defined.ts';
import type { Problem } from './result.ts';

/** The value came from a field of the options, or from a variable. */
export type OptionOrigin = { field: string } | { variable: string };

export const problemOf = (origin: OptionOrigin, message: string): Problem =>
  'field' in origin
    ? { path: `options.${origin.field}`, message }
    : { path: '', message: `${origin.variable}: ${message}` };

export const missingOption = (field: string, variable: string | undefined, why = ''): Problem => ({
  path: `options.${field}`,
  message: `is missing; ${why}set it${variable === undefined ? '' : `, or ${variable}`}`,
  ...defined({ variable }),
});
