/** The credentials of a hypervisor, as Kubernetes mounts a Secret: a file for each key. They are read again each time, so that a new Secret is used. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';

export type ReadCredentials = () => Readonly<Record<string, string>>;

/** Names of users are no secrets, and would be cut out of every text that contains them. */
const notSecret = /^(user(name)?|known_hosts|token_id|endpoint)$/i;

export const credentialsIn =
  (directory: string): ReadCredentials =>
  () => {
    const found: Record<string, string> = {};
    for (const name of namesIn(directory)) {
      const value = readFileSync(join(directory, name), 'utf8').replace(/\n$/, '');
      if (!notSecret.test(name)) rememberSecret(value);
      found[name] = value;
    }
    return found;
  };

/** Kubernetes keeps the files behind links in hidden folders. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith('.') && statSync(join(directory, name)).isFile());
  } catch {
    return [];
  }
}
