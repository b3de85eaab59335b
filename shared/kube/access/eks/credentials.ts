/** The credentials that the SDK finds by itself: in variables, files, the role of the function or the machine. It keeps and renews them. */
import { STSClient } from '@aws-sdk/client-sts';
import type { AwsCredentialIdentityProvider } from '@smithy/types';
import { type AwsConnection, clientOptions } from '../../../platforms/aws/client-options.ts';

export function defaultCredentials(connection: AwsConnection): AwsCredentialIdentityProvider {
  const { config } = new STSClient(clientOptions(connection));
  return () => config.credentials();
}
