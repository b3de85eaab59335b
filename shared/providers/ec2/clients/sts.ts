/** The part of @aws-sdk/client-sts that is used; loaded on first use, so that a function pays only for what it calls. */
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';
import type { ExchangesOf, OpenClient } from './io.ts';

export type StsExchanges = ExchangesOf<typeof import('@aws-sdk/client-sts'), 'AssumeRole' | 'GetCallerIdentity'>;

export function openSts(options: AwsClientOptions): OpenClient<StsExchanges> {
  const client = new STSClient(options);
  return {
    senders: {
      AssumeRole: (input, more) => client.send(new AssumeRoleCommand(input), more),
      GetCallerIdentity: (input, more) => client.send(new GetCallerIdentityCommand(input), more),
    },
    prepare: () => client.config.credentials(),
    close: () => client.destroy(),
  };
}
