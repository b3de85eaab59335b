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

/** Labels of Kubernetes' own domains that a kubelet may give its own node; with any other it does not start. */
const allowedDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const allowedLabels = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
]);

/** The others are put on the Node when it is registered. Sorted: the same labels give the same bytes. */
export const kubeletLabels = (labels: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(labels)
    .filter(([key]) => mayRegisterWith(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));

function mayRegisterWith(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const reserved = ['kubernetes.io', 'k8s.io'].some((one) => domain === one || domain.endsWith(`.${one}`));
  if (!reserved) return true;
  return allowedLabels.has(key) || allowedDomains.some((one) => domain === one || domain.endsWith(`.${one}`));
}

export const sortedTaints = (taints: readonly Taint[]): Taint[] =>
  taints.toSorted((a, b) => (taintText(a) < taintText(b) ? -1 : 1));

/** `key=value:effect`, as flags of the kubelet have it. */
export const taintText = ({ key, value, effect }: Taint): string => `${key}=${value ?? ''}:${effect}`;

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
