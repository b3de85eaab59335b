/** The stand-in for AWS together with a simulated cluster that its instances join. */
import type { Json } from '../../shared/base/json.ts';
import { type Aws, type AwsOptions, startAws } from '../aws/start.ts';
import type { ClusterApi } from '../cluster/server.ts';
import { startStandInWorld } from './stand-in-world.ts';

export interface AwsWorld {
  readonly cluster: ClusterApi;
  readonly aws: Aws;
  close(): Promise<void>;
}

export interface AwsWorldOptions {
  directory: string;
  clusterPort?: number;
  cloudPort?: number;
  aws?: Omit<AwsOptions, 'port' | 'kubelet'>;
}

export async function startAwsWorld(options: AwsWorldOptions): Promise<AwsWorld> {
  const { cluster, cloud, close } = await startStandInWorld(options, ({ url }) =>
    startAws({ ...options.aws, port: options.cloudPort ?? 0, kubelet: { clusterUrl: url } }),
  );
  return { cluster, aws: cloud, close };
}

/** What has to stand in the configuration of the provider to meet the stand-in. */
export function ec2Options(aws: Aws): { [key: string]: Json } {
  const [clusterName = ''] = aws.account.clusters.keys();
  return { region: aws.region, endpoint: aws.url, clusterName, serveEc2NodeClasses: true };
}

/** Keys that only the stand-in knows, in place of any real ones that the process may have. */
export const ec2Environment = (aws: Aws): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
  AWS_SESSION_TOKEN: '',
});
