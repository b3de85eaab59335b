/** What user data is made from: nothing in it differs between claims that share a launch template. */
import type { Result } from '../../../../base/result.ts';
import { failed, ok } from '../../../../base/result.ts';
import type { Taint } from '../../../../nodes/claims/spec/types.ts';
import type { Ec2Cluster } from '../resolved.ts';
import type { KubeletSettings } from '../schema-kubelet.ts';

export interface UserDataInput {
  cluster: Ec2Cluster;
  /** What the class says itself. */
  userData?: string | undefined;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  kubelet: KubeletSettings;
  /** Only where the node would not come to the same number by itself. */
  maxPods?: number | undefined;
  instanceStore?: 'RAID0' | undefined;
}

/** The addresses of the cluster's DNS: what the class says, or the tenth address of the services. */
export function dnsAddresses({ kubelet, cluster }: UserDataInput): string[] {
  if (kubelet.clusterDNS !== undefined && kubelet.clusterDNS.length > 0) return kubelet.clusterDNS;
  const tenth = cluster.serviceCidr === undefined ? undefined : tenthAddress(cluster.serviceCidr);
  return tenth === undefined ? [] : [tenth];
}

/** `10.100.0.0/16` → `10.100.0.10`, `fd30:1::/108` → `fd30:1::a`. */
export function tenthAddress(cidr: string): string | undefined {
  const [base = ''] = cidr.split('/');
  const parts = base.split('.');
  if (parts.length === 4) return [...parts.slice(0, 3), '10'].join('.');
  return base.endsWith('::') ? `${base}a` : undefined;
}

/** EC2 counts the bytes before they are coded for the wire. */
export const mostUserDataBytes = 16_384;

export function checkedSize(text: string): Result<string> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostUserDataBytes) return ok(text);
  return failed(
    'invalid',
    `spec.userData: together with the bootstrap data it has ${bytes} bytes, but EC2 allows at most ${mostUserDataBytes}; move scripts into the image, or fetch them from S3`,
  );
}
