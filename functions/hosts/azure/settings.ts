/**
 * The app settings of a function app, which are environment variables. `POOLWRIGHT_CONFIG` is the configuration itself, as
 * YAML or JSON text, or the path of a file in the package; without it `poolwright.yaml` of the package is read if it is there.
 * Everything else is as on every host: `POOLWRIGHT_CLUSTERS_EAST_TOKEN` is `clusters.east.token`.
 */
import { type Config, loadConfig } from '../../../shared/config.ts';
import { configSource, type Environment } from './settings-source.ts';

export interface AzureSettings {
  readonly config: Config;
  /** Opens the HTTP API for its holder; `http.tokenFile` may hold it instead. */
  readonly token: string | undefined;
}

export type SettingsResult = { ok: true; settings: AzureSettings } | { ok: false; text: string };

const tokenVariable = 'POOLWRIGHT_HTTP_TOKEN';

/** The platform leaves the reference as it stands when it can't follow it. */
const keyVaultReference = /^@Microsoft\.KeyVault\(/i;

/** @param folder Where the package lies. */
export function readSettings(env: Environment, folder: string): SettingsResult {
  const unresolved = Object.entries(env).filter(([, value]) => keyVaultReference.test(value ?? ''));
  if (unresolved.length > 0) {
    const lines = unresolved.map(
      ([name]) =>
        `  ${name}: the Key Vault reference could not be followed; check the name of the secret, and that the identity of the app has the role Key Vault Secrets User`,
    );
    return { ok: false, text: ['The app settings have mistakes:', ...lines].join('\n') };
  }
  const { [tokenVariable]: token, POOLWRIGHT_CONFIG: _, ...others } = env;
  const loaded = loadConfig(configSource(env, folder), others);
  return loaded.ok ? { ok: true, settings: { config: loaded.config, token: token || undefined } } : loaded;
}
