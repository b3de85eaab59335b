/** What a difference between a live object and what a request amounts to means. What is not in the tables counts as unknown. */

/**
 * `harmless`: marks, and what is only in Kubernetes. `in-place`: Azure changes it, and the cluster stays. `new-cluster`: Azure refuses the
 * change. `unknown`: nothing is known of the field, so it is taken for the worst.
 */
export const differenceClasses = ['harmless', 'in-place', 'new-cluster', 'unknown'] as const;
export type DifferenceClass = (typeof differenceClasses)[number];

const harmless = [/^tags(\.|$)/, /^operatorSpec(\.|$)/];

const newCluster = [
  /^azureName$/,
  /^owner(\.|$)/,
  /^location$/,
  /^dnsPrefix$/,
  /^fqdnSubdomain$/,
  /^nodeResourceGroup$/,
  /^networkProfile\.(networkPlugin|networkPluginMode|networkDataplane|podCidr|serviceCidr|dnsServiceIP|loadBalancerSku)$/,
  /^identity(\.|$)/,
  /^apiServerAccessProfile\.(enablePrivateCluster|privateDNSZone)$/,
  /^agentPoolProfiles\[[^\]]*\]$/,
  /^agentPoolProfiles\[[^\]]*\]\.(name|vmSize|osDiskSizeGB|osDiskType|osType|type|availabilityZones|vnetSubnetReference|podSubnetReference|maxPods)(\.|$)/,
  /^(vmSize|osDiskSizeGB|osDiskType|osType|type|availabilityZones|vnetSubnetReference|podSubnetReference|maxPods)(\.|$)/,
  /^extensionType$/,
];

const inPlace = [
  /^kubernetesVersion$/,
  /^sku(\.|$)/,
  /^supportPlan$/,
  /^autoUpgradeProfile(\.|$)/,
  /^networkProfile\.(networkPolicy|outboundType)$/,
  /^nodeProvisioningProfile(\.|$)/,
  /^oidcIssuerProfile(\.|$)/,
  /^securityProfile(\.|$)/,
  /^addonProfiles(\.|$)/,
  /^ingressProfile(\.|$)/,
  /^azureMonitorProfile(\.|$)/,
  /^aadProfile(\.|$)/,
  /^disableLocalAccounts$/,
  /^apiServerAccessProfile\.authorizedIPRanges$/,
  /^agentPoolProfiles\[[^\]]*\]\.(count|minCount|maxCount|enableAutoScaling|nodeTaints|nodeLabels|mode)(\.|$)/,
  /^(count|minCount|maxCount|enableAutoScaling|nodeTaints|nodeLabels|mode|osSKU)(\.|$)/,
  /^(autoUpgradeMinorVersion|scope)(\.|$)/,
  /^(gitRepository|kustomizations|waitForReconciliation|reconciliationWaitDuration|configurationProtectedSettings|suspend)(\.|$)/,
];

const listed: readonly (readonly [DifferenceClass, readonly RegExp[]])[] = [
  ['harmless', harmless],
  ['new-cluster', newCluster],
  ['in-place', inPlace],
];

export const classOf = (path: string): DifferenceClass =>
  listed.find(([, patterns]) => patterns.some((pattern) => pattern.test(path)))?.[0] ?? 'unknown';

/** What Azure makes of a field that is absent. */
const defaults: readonly (readonly [RegExp, unknown])[] = [
  [/^supportPlan$/, 'KubernetesOfficial'],
  [/^sku\.name$/, 'Base'],
  [/^sku\.tier$/, 'Free'],
  [/^networkProfile\.outboundType$/, 'loadBalancer'],
  [/^networkProfile\.loadBalancerSku$/, 'standard'],
  [/^autoUpgradeProfile\.upgradeChannel$/, 'none'],
  [/(^|\]\.)type$/, 'VirtualMachineScaleSets'],
  [/(^|\]\.)osType$/, 'Linux'],
  [/(^|\]\.)enableAutoScaling$/, false],
  [/^disableLocalAccounts$/, false],
  [/^apiServerAccessProfile\.enablePrivateCluster$/, false],
  [/^waitForReconciliation$/, true],
  [/^reconciliationWaitDuration$/, 'PT5M'],
];

export const isDefault = (path: string, value: unknown): boolean =>
  defaults.some(([pattern, usual]) => pattern.test(path) && usual === value);
