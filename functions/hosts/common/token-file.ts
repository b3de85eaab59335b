/** The token of the HTTP API from the file that `http.tokenFile` names. */
import { readFileSync } from 'node:fs';

/** At every request, so that it can be rotated. */
export function readTokenFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
