/** Each flat parameter of a request, in its two spellings. */
export const spellings = {
  clusterName: 'cluster-name',
  location: 'location',
  nodePoolType: 'node-pool-type',
  enableNAP: 'enable-nap',
  dryRun: 'dry-run',
  kubernetesVersion: 'kubernetes-version',
  primaryVmSize: 'primary-vm-size',
  secondaryVmSize: 'secondary-vm-size',
  skuFamily: 'sku-family',
  maxCpu: 'max-cpu',
  maxMemory: 'max-memory',
  systemVmSize: 'system-vm-size',
} as const;
export type Parameter = keyof typeof spellings;
