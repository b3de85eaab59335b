/** Of which type a provider of the configuration is: that says which function acts for it. */
import type { Environment } from '../../../shared/base/environment.ts';
import { type Clock, systemClock } from '../../../shared/base/runtime.ts';
import { cached } from '../common/cached.ts';
import { packageFolder } from '../common/package-folder.ts';
import { withoutFollowed } from './followed-variables.ts';
import { MisconfiguredError } from './misconfigured.ts';
import { type ReadReference, readReference } from './references.ts';

/** An environment may live for hours, and a provider may be added meanwhile. A failure is not kept at all. */
const keepMs = 300_000;

/** The configuration is read with the first step of a provider, not with every start of the function. */
export function providerTypes(
  env: Environment,
  { clock = systemClock, read = readReference(env, { renew: true }) }: { clock?: Clock; read?: ReadReference } = {},
): (provider: string) => Promise<string> {
  const providers = cached(
    async (): Promise<Readonly<Record<string, { type: string }>>> => {
      const { readSettings } = await import('./settings.ts');
      // The function that asks has no right to the secrets of clusters and other clouds, and no use for them.
      const settings = await readSettings(withoutFollowed(env), packageFolder, read);
      if (!settings.ok) throw new MisconfiguredError(settings.text);
      return settings.settings.config.providers;
    },
    clock,
    keepMs,
  );
  return async (provider) => {
    const configured = (await providers())[provider];
    if (!configured) throw new Error(`provider ${provider} is not in the configuration`);
    return configured.type;
  };
}
