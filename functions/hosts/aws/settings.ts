/**
 * The settings of the functions. The configuration is a text in `POOLWRIGHT_CONFIG`, the path of a file in the package, a parameter or
 * a secret that `POOLWRIGHT_CONFIG_PARAMETER` names, or `poolwright.yaml` in the package. Everything else is as on every host:
 * `POOLWRIGHT_CLUSTERS_EAST_TOKEN` is `clusters.east.token`. Where a secret is wanted, a reference may stand instead of it
 * (`arn:aws:secretsmanager:…`, `ssm:/path`), so that none of them is in a template or a console.
 */
import type { Environment } from '../../../shared/base/environment.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Config } from '../../../shared/config/load.ts';
import { loadDeployed } from '../common/deployed-config.ts';
import { configSource } from '../common/settings-source.ts';
import { isReference, type ReadReference } from './references.ts';

export interface AwsSettings {
  readonly config: Config;
  /** Opens the HTTP API for its holder, or a reference to what does; `http.tokenFile` may hold it instead. */
  readonly token: string | undefined;
  /** The text of the configuration, where it came from a parameter: another one means another configuration. */
  readonly parameterText: string | undefined;
}

export type SettingsResult = { ok: true; settings: AwsSettings } | { ok: false; text: string };

const tokenVariable = 'POOLWRIGHT_HTTP_TOKEN';
const parameterVariable = 'POOLWRIGHT_CONFIG_PARAMETER';

/** @param folder Where the package lies. */
export async function readSettings(env: Environment, folder: string, read: ReadReference): Promise<SettingsResult> {
  const { [tokenVariable]: token, [parameterVariable]: _, POOLWRIGHT_CONFIG: __, ...others } = env;
  const parameter = await readConfigParameter(env, read);
  if (parameter && !parameter.ok) return { ok: false, text: mistake(parameter.error.message) };
  const parameterText = parameter?.value;
  const source =
    parameterText === undefined
      ? configSource(env, env.LAMBDA_TASK_ROOT || folder)
      : { name: parameterVariable, text: parameterText, folder };
  const loaded = await loadDeployed(source, others);
  if (!loaded.ok) return loaded;
  return { ok: true, settings: { config: loaded.config, token: token || undefined, parameterText } };
}

/** Undefined where the configuration stands elsewhere. */
export async function readConfigParameter(
  { [parameterVariable]: name = '', POOLWRIGHT_CONFIG: given = '' }: Environment,
  read: ReadReference,
): Promise<Result<string> | undefined> {
  if (name === '' || given.trim() !== '') return undefined;
  // The bare name of a parameter is what the console shows, so it is what people write.
  const found = await read(isReference(name) ? name : `ssm:${name}`);
  if (found.ok) return found;
  return { ok: false, error: { ...found.error, message: `${parameterVariable}: ${found.error.message}` } };
}

const mistake = (line: string): string => ['The configuration has a mistake:', `  ${line}`].join('\n');
