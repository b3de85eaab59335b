/** Where the things around a function are, as its variables say. */
import type { Environment } from '../../../shared/base/environment.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { variableNames } from './variable-names.ts';

export type ResourceName = keyof typeof variableNames;

export interface FunctionResources {
  readonly region: string;
  /** A function asks only for what it needs, and each has only what it needs. */
  of(name: ResourceName): Result<string>;
}

export function resourcesFrom(env: Environment): Result<FunctionResources> {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (!region) return failed('invalid', 'AWS_REGION: is not set; Lambda sets it, elsewhere set it yourself');
  return ok({
    region,
    of: (name) => {
      const variable = variableNames[name];
      const value = env[variable];
      if (value) return ok(value);
      return failed('invalid', `${variable}: is not set; deploy the function with serverless.yml, which sets it`);
    },
  });
}
