/**
 * The configuration as the deployment wrote it is JSON in its shortest form, and is read as such: the reader of YAML is a fifth of what
 * is loaded before a first call. Anything else, and whatever has a mistake, goes to that reader, which knows lines and what stands
 * there twice.
 */
import type { Environment } from '../../../shared/base/environment.ts';
import type { ConfigText } from '../../../shared/config/file.ts';
import { withAbsolutePaths } from '../../../shared/config/paths.ts';
import { type ConfigResult, resolveRead } from '../../../shared/config/resolve.ts';

export async function loadDeployed(source: string | ConfigText | undefined, env: Environment): Promise<ConfigResult> {
  const quick = typeof source === 'object' ? asShortestJson(source, env) : undefined;
  if (quick?.ok) return quick;
  const { loadConfig } = await import('../../../shared/config/load.ts');
  return loadConfig(source, env);
}

function asShortestJson({ name, text, folder }: ConfigText, env: Environment): ConfigResult | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // What stands there twice would be gone.
  if (JSON.stringify(value) !== text) return undefined;
  return resolveRead({ name, file: { value: withAbsolutePaths(value, folder), lineOf: () => 1 } }, env);
}
