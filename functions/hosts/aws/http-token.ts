/** What opens the HTTP API for its holder. */

import type { Environment } from '../../../shared/base/environment.ts';
import { rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';
import { readTokenFile } from '../common/token-file.ts';
import { isReference, readReference } from './references.ts';

/**
 * The variable holds the token or a reference to it, which is followed at each call; what was read is kept for a while. A
 * reference that can't be followed opens nothing: its text is no secret.
 */
export async function httpToken(env: Environment, tokenFile: string | undefined): Promise<string | undefined> {
  const { POOLWRIGHT_HTTP_TOKEN: given } = env;
  if (!given) return tokenFile === undefined ? undefined : readTokenFile(tokenFile);
  if (!isReference(given)) {
    rememberSecret(given);
    return given;
  }
  const found = await readReference(env)(given);
  return found.ok ? found.value.trim() || undefined : undefined;
}
