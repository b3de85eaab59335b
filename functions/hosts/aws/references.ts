/** Secrets and parameters that settings refer to; what was read is kept for a while, for all who ask in this process. */

import type { Environment } from '../../../shared/base/environment.ts';
import type { Result } from '../../../shared/base/result.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { isSecretReference } from '../../../shared/platforms/aws/secret-reference.ts';
import type { Secrets } from '../../../shared/platforms/aws/secrets.ts';
import { resourcesFrom } from './function-resources.ts';

/** Reads what a reference leads to. */
export type ReadReference = (reference: string) => Promise<Result<string>>;

export const isReference = isSecretReference;

const opened = new Map<string, Secrets>();

/** @param options `renew`: what is kept will not do, because whether it is another by now is the question. */
export function readReference(env: Environment, options: { renew?: boolean } = {}): ReadReference {
  return async (reference) => {
    const resources = resourcesFrom(env);
    if (!resources.ok) return resources;
    const { region } = resources.value;
    return (await secretsOf(region)).read(reference, options);
  };
}

async function secretsOf(region: string): Promise<Secrets> {
  const { openSecrets } = await import('../../../shared/platforms/aws/secrets.ts');
  const known = opened.get(region) ?? openSecrets({ connection: { region }, clock: systemClock });
  opened.set(region, known);
  return known;
}
