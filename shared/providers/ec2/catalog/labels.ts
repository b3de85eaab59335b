/** Labels that nodes on EC2 have, as Karpenter's provider for AWS names them. */
import { labels } from '../../../nodes/claims/spec/well-known.ts';

export const awsLabels = {
  category: 'karpenter.k8s.aws/instance-category',
  family: 'karpenter.k8s.aws/instance-family',
  generation: 'karpenter.k8s.aws/instance-generation',
  flex: 'karpenter.k8s.aws/instance-capability-flex',
  size: 'karpenter.k8s.aws/instance-size',
  cpu: 'karpenter.k8s.aws/instance-cpu',
  cpuManufacturer: 'karpenter.k8s.aws/instance-cpu-manufacturer',
  cpuSpeed: 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz',
  memory: 'karpenter.k8s.aws/instance-memory',
  hypervisor: 'karpenter.k8s.aws/instance-hypervisor',
  encryptionInTransit: 'karpenter.k8s.aws/instance-encryption-in-transit-supported',
  ebsBandwidth: 'karpenter.k8s.aws/instance-ebs-bandwidth',
  networkBandwidth: 'karpenter.k8s.aws/instance-network-bandwidth',
  localNvme: 'karpenter.k8s.aws/instance-local-nvme',
  tenancy: 'karpenter.k8s.aws/instance-tenancy',
  gpuName: 'karpenter.k8s.aws/instance-gpu-name',
  gpuManufacturer: 'karpenter.k8s.aws/instance-gpu-manufacturer',
  gpuCount: 'karpenter.k8s.aws/instance-gpu-count',
  gpuMemory: 'karpenter.k8s.aws/instance-gpu-memory',
  acceleratorName: 'karpenter.k8s.aws/instance-accelerator-name',
  acceleratorManufacturer: 'karpenter.k8s.aws/instance-accelerator-manufacturer',
  acceleratorCount: 'karpenter.k8s.aws/instance-accelerator-count',
  nodeClass: 'karpenter.k8s.aws/ec2nodeclass',
  zoneId: 'topology.k8s.aws/zone-id',
} as const;

/** Not on any node: types that share a quota have it, so that one refusal speaks for all of them. */
export const quotaClassLabel = 'poolwright.dev/ec2-quota-class';

/** Nor these. One deployment may buy in several accounts, and each class has its own subnets and reservations. */
const accountLabel = 'poolwright.dev/ec2-account';
const ownClassLabel = 'poolwright.dev/ec2-class';

const internal: ReadonlySet<string> = new Set([quotaClassLabel, accountLabel, ownClassLabel]);
export const isOnNodes = (key: string): boolean => !internal.has(key);

/** Where types are bought, and for whom. */
export interface Buyer {
  /** `own` where no role says which account it is. */
  account: string;
  region: string;
  clusterName: string;
}

/** What all types have that one account sells in a region: its quotas hold for these. */
export const accountLabels = ({ account, region }: Buyer): Record<string, string> => ({
  [labels.region]: region,
  [accountLabel]: account,
});

/** What all types have that are bought with one class: what its subnets and reservations lack, others may have. */
export const classLabels = (buyer: Buyer, className: string): Record<string, string> => ({
  ...accountLabels(buyer),
  [ownClassLabel]: `${buyer.clusterName}/${className}`,
});
