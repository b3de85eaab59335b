/** The keys that sign our requests, known to the redaction: AWS quotes the session token in what it says about a wrong signature. */
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from '@smithy/types';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';

/** Hands them on. */
export function rememberKeys<Keys extends AwsCredentialIdentity>(keys: Keys): Keys {
  rememberSecret(keys.secretAccessKey);
  rememberSecret(keys.sessionToken);
  return keys;
}

interface Configuration {
  credentials(): AwsCredentialIdentity | AwsCredentialIdentityProvider | undefined;
  setCredentials(credentials: AwsCredentialIdentityProvider): void;
}

/** For a client of the SDK that finds its keys by itself, in files or at the machine: they pass here on their way to it. */
export const knownKeys = {
  configure: (client: Configuration): void => {
    const given = client.credentials();
    if (typeof given !== 'function') {
      if (given !== undefined) rememberKeys(given);
      return;
    }
    // The client has put marks of its own on the function, by which it knows that it need not wrap it again.
    const watched: AwsCredentialIdentityProvider = async (...args) => rememberKeys(await given(...args));
    client.setCredentials(Object.assign(watched, given));
  },
};
