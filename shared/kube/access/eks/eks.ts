/** How a cluster of EKS is reached: EKS says where it is, and a request signed for STS says who we are. */

import type { AwsCredentialIdentityProvider } from '@smithy/types';
import { defined } from '../../../base/defined.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { type AwsConnection, clientOptions } from '../../../platforms/aws/client-options.ts';
import { awsProblem } from '../../../platforms/aws/errors.ts';
import type { CloudCluster, ClusterAccess } from '../access.ts';

export interface EksCluster {
  connection: AwsConnection;
  /** The name that EKS has for it. */
  name: string;
  /** Both given: EKS is not asked. */
  endpoint?: string;
  /** The authority of its certificate: PEM in base64, as EKS gives it. */
  certificateAuthority?: string;
  /** Where STS is instead of at AWS; else where the connection says. */
  stsEndpoint?: string;
  clock: Clock;
}

/** Clusters accept a token for 15 minutes. The rest is for clocks that differ, and for requests that wait. */
const tokenMs = 600_000;

/**
 * @example
 * const cloud = openEksCluster({ connection: { region: 'eu-west-1' }, name: 'production', clock });
 * const access = await cloud.find(signal);
 */
export function openEksCluster(options: EksCluster): CloudCluster {
  const { connection, name, clock } = options;
  const stsEndpoint = options.stsEndpoint ?? connection.endpoint;
  const credentials = connection.credentials ?? whereTheSdkLooks(connection);

  const issue: CloudCluster['issue'] = async () => {
    try {
      const { eksToken } = await import('./token.ts');
      const now = clock.now();
      const token = await eksToken({
        cluster: name,
        region: connection.region,
        credentials,
        now,
        ...defined({ stsEndpoint }),
      });
      return ok({ token, expiresAt: now + tokenMs });
    } catch (error) {
      const text = `there are no AWS credentials to sign with: ${awsProblem(error).text}`;
      return failed('unauthorised', `${text}; give the function a role, or set AWS_ACCESS_KEY_ID and its secret`);
    }
  };

  return {
    issue,
    find: async (signal) => {
      const { endpoint, certificateAuthority } = options;
      const place =
        endpoint && certificateAuthority ? ok({ endpoint, certificateAuthority }) : await describe(options, signal);
      if (!place.ok) return place;
      const access: ClusterAccess = {
        url: endpoint ?? place.value.endpoint,
        ca: Buffer.from(certificateAuthority ?? place.value.certificateAuthority, 'base64').toString('utf8'),
        issue,
      };
      return ok(access);
    },
    close: () => undefined,
  };
}

async function describe(
  { connection, name }: EksCluster,
  abortSignal: AbortSignal,
): Promise<Result<{ endpoint: string; certificateAuthority: string }>> {
  const { describeCluster } = await import('./describe.ts');
  const what = `the EKS cluster ${JSON.stringify(name)} in ${connection.region}`;
  try {
    const options = clientOptions(connection, { maxAttempts: 3, timeoutMs: 10_000 });
    const { endpoint, certificateAuthority, status } = (await describeCluster(options, name, abortSignal)) ?? {};
    if (endpoint === undefined || certificateAuthority?.data === undefined) {
      return failed('not-ready', `${what} has no address (yet): its status is ${status ?? 'unknown'}`);
    }
    return ok({ endpoint, certificateAuthority: certificateAuthority.data });
  } catch (error) {
    const { code, text } = awsProblem(error);
    if (code === 'ResourceNotFoundException') {
      return failed('not-found', `${what} does not exist; check clusterName, region and account`);
    }
    if (/AccessDenied/.test(code)) {
      const hint = 'or set clusterEndpoint and clusterCA, so that no call to EKS is needed';
      return failed('unauthorised', `${what}: the identity lacks the permission eks:DescribeCluster; add it, ${hint}`);
    }
    return failed('unavailable', `${what} could not be described: ${text}`);
  }
}

/** Loaded when it is needed: whoever is given credentials needs no client to find them. */
function whereTheSdkLooks(connection: AwsConnection): AwsCredentialIdentityProvider {
  let provider: Promise<AwsCredentialIdentityProvider> | undefined;
  return async () => {
    provider ??= import('./credentials.ts').then(({ defaultCredentials }) => defaultCredentials(connection));
    return (await provider)();
  };
}
