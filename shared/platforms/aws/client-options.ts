/**
 * What every AWS client of ours is made with. The SDK's own retries are off: the workflow decides what is tried again, and a
 * write whose answer was lost must come back as such.
 */

import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from '@smithy/types';
import { defined } from '../../base/defined.ts';
import { knownKeys } from './known-keys.ts';

export interface AwsConnection {
  region: string;
  /** Where the service is instead of at AWS: a stand-in, a private endpoint. Else the SDK's own variables may say so (`AWS_ENDPOINT_URL`). */
  endpoint?: string;
  /** Without it the SDK looks where it always does: variables, files, the role of the function or the machine. */
  credentials?: AwsCredentialIdentity | AwsCredentialIdentityProvider;
}

export interface AwsClientOptions {
  region: string;
  endpoint?: string;
  credentials?: AwsCredentialIdentity | AwsCredentialIdentityProvider;
  maxAttempts: number;
  requestHandler: { connectionTimeout: number; requestTimeout: number; throwOnRequestTimeout: true };
  customUserAgent: string;
  extensions: (typeof knownKeys)[];
}

const connectMs = 5_000;
const answerMs = 30_000;

/** @example new SQSClient(clientOptions({ region: 'eu-west-1' })) */
export const clientOptions = (
  { region, endpoint, credentials }: AwsConnection,
  { maxAttempts = 1, timeoutMs = answerMs }: { maxAttempts?: number; timeoutMs?: number } = {},
): AwsClientOptions => ({
  region,
  ...defined({ endpoint, credentials }),
  maxAttempts,
  requestHandler: { connectionTimeout: connectMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  customUserAgent: 'poolwright',
  extensions: [knownKeys],
});
