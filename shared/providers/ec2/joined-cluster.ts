/** The cluster that machines join: what the options do not say is asked of EKS, once. */
import { defined } from '../../base/defined.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Ec2Calls } from './calls/calls.ts';
import type { Ec2Cluster } from './node-class/resolved.ts';
import type { Ec2Options } from './options.ts';

type Wanted = Pick<
  Ec2Options,
  'clusterName' | 'clusterEndpoint' | 'clusterCA' | 'kubernetesVersion' | 'serviceCidr' | 'region'
>;

export type JoinedCluster = (signal: AbortSignal) => Promise<Result<Ec2Cluster>>;

/** A cluster is upgraded now and then, and new machines should be of its version soon after. */
const keptMs = 300_000;

export function joinedCluster(options: Wanted, calls: Pick<Ec2Calls, 'eks'>, clock: { now(): number }): JoinedCluster {
  let known: { cluster: Ec2Cluster; until: number } | undefined;
  return async (signal) => {
    const told = fromOptions(options);
    if (told !== undefined) return ok(told);
    if (known !== undefined && clock.now() < known.until) return ok(known.cluster);
    const asked = await calls.eks('DescribeCluster', { name: options.clusterName }, signal);
    // What was true minutes ago is better than nothing.
    if (!asked.ok && known !== undefined && asked.error.kind !== 'not-found') return ok(known.cluster);
    if (!asked.ok && asked.error.kind === 'not-found') {
      const hint = 'check clusterName and region, or set clusterEndpoint, clusterCA and kubernetesVersion';
      const text = `there is no EKS cluster ${options.clusterName} in ${options.region}; ${hint}`;
      return failed('invalid', text, { cause: asked.error.message });
    }
    if (!asked.ok) return asked;
    const { endpoint, certificateAuthority, version, kubernetesNetworkConfig: network } = asked.value.cluster ?? {};
    if (endpoint === undefined || certificateAuthority?.data === undefined || version === undefined) {
      return failed('not-ready', `EKS cluster ${options.clusterName} is still being created`, {
        retryAfterSeconds: 30,
      });
    }
    const serviceCidr = options.serviceCidr ?? network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr;
    const cluster: Ec2Cluster = {
      name: options.clusterName,
      endpoint: options.clusterEndpoint ?? endpoint,
      certificateAuthority: options.clusterCA ?? certificateAuthority.data,
      kubernetesVersion: options.kubernetesVersion ?? version,
      ...defined({ serviceCidr }),
      ...(network?.ipFamily === 'ipv6' ? { ipFamily: 'ipv6' as const } : {}),
    };
    known = { cluster, until: clock.now() + keptMs };
    return ok(cluster);
  };
}

/** All of it is configured, as for a cluster that is not of EKS: then nobody is asked. */
function fromOptions(options: Wanted): Ec2Cluster | undefined {
  const { clusterName: name, clusterEndpoint: endpoint, clusterCA, kubernetesVersion, serviceCidr } = options;
  if (endpoint === undefined || clusterCA === undefined || kubernetesVersion === undefined) return undefined;
  return {
    name,
    endpoint,
    certificateAuthority: clusterCA,
    kubernetesVersion,
    ...defined({ serviceCidr }),
    ...(serviceCidr?.includes(':') ? { ipFamily: 'ipv6' as const } : {}),
  };
}
