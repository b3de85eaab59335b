/** The token of the HTTP API from the file that `http.tokenFile` names. */
import { readFileSync } from 'node:fs';
import { rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';

/** At every request, so that it can be rotated. */
export function readTokenFile(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8').trim() || undefined;
    rememberSecret(token);
    return token;
  } catch {
    return undefined;
  }
}
