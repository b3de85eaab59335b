/** EKS, as far as it is used: a file of its own, so that a bundle holds no more of the SDK. */
import { type Cluster, DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';

export async function describeCluster(
  options: AwsClientOptions,
  name: string,
  abortSignal: AbortSignal,
): Promise<Cluster | undefined> {
  const client = new EKSClient(options);
  try {
    return (await client.send(new DescribeClusterCommand({ name }), { abortSignal })).cluster;
  } finally {
    client.destroy();
  }
}
