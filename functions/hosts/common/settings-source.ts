/** Where the configuration of an app stands. */

import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../../shared/base/environment.ts';

const packagedFile = 'poolwright.yaml';

/** A path, or the text itself with the name of the app setting that holds it; undefined where there is neither. */
export function configSource(
  { POOLWRIGHT_CONFIG: given = '' }: Environment,
  folder: string,
): string | { name: string; text: string; folder: string } | undefined {
  if (given.trim() === '') {
    const file = join(folder, packagedFile);
    return existsSync(file) ? file : undefined;
  }
  // A path is one line without a colon and a space; YAML that says anything has either.
  const isText = /[\n{]|:\s/.test(given);
  if (isText) return { name: 'POOLWRIGHT_CONFIG', text: given, folder };
  return isAbsolute(given) ? given : join(folder, given);
}
