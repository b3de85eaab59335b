/** Whether what a worker was built from is another by now: the configuration in its parameter, or a secret that was replaced. */
import type { Environment } from '../../../shared/base/environment.ts';
import { followedNames, followVariables } from './followed-variables.ts';
import type { ReadReference } from './references.ts';
import { type AwsSettings, readConfigParameter } from './settings.ts';

export interface InUse extends Pick<AwsSettings, 'parameterText'> {
  /** With secrets in the place of references. */
  readonly env: Environment;
}

/**
 * What can't be read right now is no reason to stop working.
 * @param env With the references.
 */
export async function hasChanged(inUse: InUse, env: Environment, read: ReadReference): Promise<boolean> {
  if (inUse.parameterText !== undefined) {
    const now = await readConfigParameter(env, read);
    if (now?.ok === true && now.value !== inUse.parameterText) return true;
  }
  let isWhole = true;
  const now = await followVariables(env, read, () => {
    isWhole = false;
  });
  return isWhole && followedNames(env).some((name) => now[name] !== inUse.env[name]);
}
