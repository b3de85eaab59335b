/** Labels that nodes on EC2 have, as Karpenter's provider for AWS names them. */
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
