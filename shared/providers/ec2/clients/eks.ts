/** The part of @aws-sdk/client-eks that is used; loaded on first use, so that a function pays only for what it calls. */
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';
import type { ExchangesOf, OpenClient } from './io.ts';

export type EksExchanges = ExchangesOf<typeof import('@aws-sdk/client-eks'), 'DescribeCluster'>;

export function openEks(options: AwsClientOptions): OpenClient<EksExchanges> {
  const client = new EKSClient(options);
  return {
    senders: {
      DescribeCluster: (input, more) => client.send(new DescribeClusterCommand(input), more),
    },
    prepare: () => client.config.credentials(),
    close: () => client.destroy(),
  };
}
