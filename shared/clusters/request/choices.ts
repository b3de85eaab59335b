/** What a field of a request can be, where there are a few possibilities only. The values of Azure are written as Azure writes them. */

/** Who makes the nodes for workloads. */
export const nodeMakers = ['nap', 'poolwright', 'agentPools'] as const;
export type NodeMaker = (typeof nodeMakers)[number];

/** What carries a request out: Azure Service Operator in a management cluster, or Azure Resource Manager directly. */
export const drivers = ['aso', 'arm'] as const;

export const identityTypes = ['UserAssigned', 'SystemAssigned'] as const;
export const tiers = ['Free', 'Standard', 'Premium'] as const;
export const supportPlans = ['KubernetesOfficial', 'AKSLongTermSupport'] as const;
export const upgradeChannels = ['none', 'patch', 'stable', 'rapid', 'node-image'] as const;
export const nodeOsUpgradeChannels = ['None', 'Unmanaged', 'NodeImage', 'SecurityPatch'] as const;

export const networkPlugins = ['azure', 'kubenet', 'none'] as const;
export const networkPluginModes = ['overlay'] as const;
export const networkDataplanes = ['azure', 'cilium'] as const;
export const networkPolicies = ['azure', 'calico', 'cilium', 'none'] as const;
export const outboundTypes = [
  'loadBalancer',
  'managedNATGateway',
  'userAssignedNATGateway',
  'userDefinedRouting',
  'none',
] as const;

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export const imageFamilies = ['Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'] as const;
export const consolidationPolicies = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const;

/** `extension`: AKS installs Flux in the new cluster. `remote`: the Flux of the management cluster applies to it. */
export const gitOpsModes = ['extension', 'remote'] as const;
export const gitProviders = ['Generic', 'Azure'] as const;

/** What people can be told about a request. */
export const noticeTypes = ['ready', 'failed', 'deleted', 'expired', 'drifted'] as const;
export type NoticeType = (typeof noticeTypes)[number];
export const noticeFormats = ['cloudevents', 'slack'] as const;
export type NoticeFormat = (typeof noticeFormats)[number];
