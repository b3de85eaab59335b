/**
 * Who we are at AWS. Keys in the environment that was handed in come first; without them the SDK looks where it always does. With
 * a role, that one is taken on, and again some minutes before it ends: one set of keys for all clients, fetched once.
 */

import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from '@smithy/types';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Clock } from '../../base/runtime.ts';
import { type AwsConnection, clientOptions } from './client-options.ts';
import { rememberKeys } from './known-keys.ts';

export interface AssumedRole {
  roleArn: string;
  externalId?: string;
  /** Shown in CloudTrail. */
  sessionName: string;
}

/** Keys that end sooner than this are renewed before they are used: a call must not outlive them. */
const renewBeforeMs = 300_000;

export function credentialsFrom(env: Environment): AwsCredentialIdentity | undefined {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return rememberKeys({ accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) });
}

export type RenewableCredentials = AwsCredentialIdentityProvider & {
  /** Forgets what was fetched: AWS has ended it before its time. */
  renew(): void;
};

/** The credentials of a role, by those of the connection. */
export function assumeRole(connection: AwsConnection, role: AssumedRole, clock: Clock): RenewableCredentials {
  let current: Promise<AwsCredentialIdentity> | undefined;
  let endsAt = 0;
  const fetchKeys = async (): Promise<AwsCredentialIdentity> => {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
    const client = new STSClient(clientOptions(connection));
    try {
      const { Credentials: keys } = await client.send(
        new AssumeRoleCommand({
          RoleArn: role.roleArn,
          RoleSessionName: role.sessionName,
          ...defined({ ExternalId: role.externalId }),
        }),
      );
      if (!keys?.AccessKeyId || !keys.SecretAccessKey) throw new Error(`STS returned no keys for ${role.roleArn}`);
      endsAt = keys.Expiration?.getTime() ?? clock.now() + renewBeforeMs;
      return rememberKeys({
        accessKeyId: keys.AccessKeyId,
        secretAccessKey: keys.SecretAccessKey,
        ...defined({ sessionToken: keys.SessionToken, expiration: keys.Expiration }),
      });
    } finally {
      client.destroy();
    }
  };
  const credentials: AwsCredentialIdentityProvider = () => {
    if (current !== undefined && endsAt !== 0 && clock.now() >= endsAt - renewBeforeMs) current = undefined;
    if (current === undefined) {
      endsAt = 0;
      const renewing = fetchKeys();
      current = renewing;
      // What failed is tried again by whoever comes next.
      renewing.catch(() => {
        if (current === renewing) current = undefined;
      });
    }
    return current;
  };
  const renew = (): void => {
    current = undefined;
  };
  return Object.assign(credentials, { renew });
}

/** For a caller whose keys AWS no longer takes, whatever the clock says: the next client has others. */
export function renewCredentials({ credentials }: AwsConnection): void {
  if (typeof credentials === 'function' && 'renew' in credentials && typeof credentials.renew === 'function') {
    credentials.renew();
  }
}
