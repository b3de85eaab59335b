/** The part of @aws-sdk/client-ssm that is used; loaded on first use, so that a function pays only for what it calls. */
import { GetParameterCommand, GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';
import type { ExchangesOf, OpenClient } from './io.ts';

export type SsmExchanges = ExchangesOf<typeof import('@aws-sdk/client-ssm'), 'GetParameter' | 'GetParameters'>;

export function openSsm(options: AwsClientOptions): OpenClient<SsmExchanges> {
  const client = new SSMClient(options);
  return {
    senders: {
      GetParameter: (input, more) => client.send(new GetParameterCommand(input), more),
      GetParameters: (input, more) => client.send(new GetParametersCommand(input), more),
    },
    prepare: () => client.config.credentials(),
    close: () => client.destroy(),
  };
}
