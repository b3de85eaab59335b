/**
 * The configuration: read once at the start, checked whole, and handed around as a filled, frozen struct. Nothing else reads
 * files or environment variables.
 *
 * @example
 * const loaded = loadConfig('poolwright.yaml', process.env, {});
 * if (!loaded.ok) stop(loaded.text);
 */
import type { Environment } from '../base/environment.ts';
import { type ConfigText, readConfigFile, readConfigText } from './file.ts';
import { type ConfigInput, type ConfigResult, resolveRead } from './resolve.ts';

export { fromEnv } from './environment.ts';
export {
  type ClusterConfig,
  type Config,
  type ConfigInput,
  type ConfigResult,
  type ProviderConfig,
  resolveConfig,
} from './resolve.ts';

/** File, then environment, then overrides (the command line): the later one wins, field by field. */
export function loadConfig(
  file: string | ConfigText | undefined,
  env: Environment,
  overrides: ConfigInput = {},
): ConfigResult {
  if (file === undefined) return resolveRead({}, env, overrides);
  const name = typeof file === 'string' ? file : file.name;
  const read = typeof file === 'string' ? readConfigFile(file) : readConfigText(file);
  return resolveRead(read.ok ? { name, file: read.file } : { name, problems: read.problems }, env, overrides);
}
