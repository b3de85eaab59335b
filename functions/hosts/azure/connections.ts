/**
 * How the app reaches its Service Bus and its tables, by the convention of the Functions host: an app setting with a connection
 * string, or settings with the prefix `<name>__` for an identity, which is what the infrastructure of ours sets up.
 */

import type { TokenCredential } from '@azure/core-auth';
import type { Environment } from '../../../shared/base/environment.ts';
import { rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';
import { rememberConnectionString } from '../../../shared/base/secrets/remember-parts.ts';

export type Connection<Field extends string> =
  | { connectionString: string }
  | ({ credential: TokenCredential } & { [Key in Field]: string });

/** @param field What of the service is named under `setting`: its address. */
export function connectionFrom<Field extends string>(
  env: Environment,
  name: string,
  field: Field,
  setting: string,
): { ok: true; connection: Connection<Field> } | { ok: false; problem: string } {
  const connectionString = env[name];
  if (connectionString) {
    rememberConnectionString(connectionString);
    return { ok: true, connection: { connectionString } };
  }
  const address = env[`${name}__${setting}`];
  if (!address) {
    const problem = `neither ${name}__${setting} nor ${name} is set; set one of them in the app settings`;
    return { ok: false, problem };
  }
  const credential = lazyCredential(env[`${name}__clientId`]);
  // A computed key is a string to the compiler, whatever its type.
  return { ok: true, connection: { credential, [field]: address } as Connection<Field> };
}

/** The library behind it is big: whoever uses a connection string never loads it. */
function lazyCredential(clientId: string | undefined): TokenCredential {
  let opening: Promise<TokenCredential> | undefined;
  const open = async (): Promise<TokenCredential> => {
    const { DefaultAzureCredential } = await import('@azure/identity');
    return new DefaultAzureCredential(clientId ? { managedIdentityClientId: clientId } : {});
  };
  return {
    getToken: async (scopes, options) => {
      opening ??= open();
      const token = await (await opening).getToken(scopes, options);
      rememberSecret(token?.token);
      return token;
    },
  };
}
