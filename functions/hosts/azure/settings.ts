/**
 * The app settings of a function app, which are environment variables. `POOLWRIGHT_CONFIG` is the configuration itself, as
 * YAML or JSON text, or the path of a file in the package; without it `poolwright.yaml` of the package is read if it is there.
 * Everything else is as on every host: `POOLWRIGHT_CLUSTERS_EAST_TOKEN` is `clusters.east.token`.
 */
import type { Environment } from '../../../shared/base/environment.ts';
import { rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';
import type { Config } from '../../../shared/config/load.ts';
import { isUnresolvedReference, unresolvedReferenceText } from '../../../shared/platforms/azure/key-vault-reference.ts';
import { loadDeployed } from '../common/deployed-config.ts';
import { configSource } from '../common/settings-source.ts';
import { serviceBusConnection, stateConnection } from './connection-names.ts';

export interface AzureSettings {
  readonly config: Config;
  /** Opens the HTTP API for its holder; `http.tokenFile` may hold it instead. */
  readonly token: string | undefined;
}

export type SettingsResult = { ok: true; settings: AzureSettings } | { ok: false; text: string };

const tokenVariable = 'POOLWRIGHT_HTTP_TOKEN';

/** What this host itself reads; the rest is looked at by whoever uses it, so that one secret too few stops no other cluster. */
const own = [tokenVariable, 'POOLWRIGHT_CONFIG', serviceBusConnection, stateConnection];

/** @param folder Where the package lies. */
export async function readSettings(env: Environment, folder: string): Promise<SettingsResult> {
  const unresolved = own.filter((name) => isUnresolvedReference(env[name] ?? ''));
  if (unresolved.length > 0) {
    const lines = unresolved.map((name) => `  ${name}: ${unresolvedReferenceText}`);
    return { ok: false, text: ['The app settings have mistakes:', ...lines].join('\n') };
  }
  const { [tokenVariable]: token, POOLWRIGHT_CONFIG: _, ...others } = env;
  rememberSecret(token);
  const loaded = await loadDeployed(configSource(env, folder), others);
  if (!loaded.ok) return loaded;
  // A secret that came from a file ends with the end of its line, and no caller could send that.
  return { ok: true, settings: { config: loaded.config, token: token?.trim() || undefined } };
}
