/** The kinds that the stand-in serves: what they are called in Kubernetes, and where they are in Azure. */
import type { Resource } from '../../shared/kube/contract.ts';
import type { AsoSettings } from './settings.ts';

export interface AsoKind {
  readonly resource: Resource;
  /** As ARM names it. */
  readonly type: string;
  /** The kind of the owner; `any` where the object names it, none where it is in the subscription. */
  readonly owner: { readonly group: string; readonly kind: string } | 'any' | 'none';
  /** Which of the durations its PUT takes. */
  readonly takes: keyof AsoSettings['durations'];
}

const containers = 'containerservice.azure.com';
const identities = 'managedidentity.azure.com';
const networks = 'network.azure.com';
const configurations = 'kubernetesconfiguration.azure.com';
const groupOwner = { group: 'resources.azure.com', kind: 'ResourceGroup' } as const;

const kind = (
  group: string,
  version: string,
  name: string,
  plural: string,
  rest: Omit<AsoKind, 'resource'>,
): AsoKind => ({ resource: { group, version, kind: name, plural, namespaced: true }, ...rest });

export const asoKinds: readonly AsoKind[] = [
  kind('resources.azure.com', 'v1api20200601', 'ResourceGroup', 'resourcegroups', {
    type: 'Microsoft.Resources/resourceGroups',
    owner: 'none',
    takes: 'group',
  }),
  kind(identities, 'v1api20230131', 'UserAssignedIdentity', 'userassignedidentities', {
    type: 'Microsoft.ManagedIdentity/userAssignedIdentities',
    owner: groupOwner,
    takes: 'identity',
  }),
  kind(identities, 'v1api20230131', 'FederatedIdentityCredential', 'federatedidentitycredentials', {
    type: 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials',
    owner: { group: identities, kind: 'UserAssignedIdentity' },
    takes: 'small',
  }),
  kind('authorization.azure.com', 'v1api20220401', 'RoleAssignment', 'roleassignments', {
    type: 'Microsoft.Authorization/roleAssignments',
    owner: 'any',
    takes: 'small',
  }),
  kind(containers, 'v1api20250801', 'ManagedCluster', 'managedclusters', {
    type: 'Microsoft.ContainerService/managedClusters',
    owner: groupOwner,
    takes: 'cluster',
  }),
  kind(containers, 'v1api20250801', 'ManagedClustersAgentPool', 'managedclustersagentpools', {
    type: 'Microsoft.ContainerService/managedClusters/agentPools',
    owner: { group: containers, kind: 'ManagedCluster' },
    takes: 'pool',
  }),
  kind(configurations, 'v1api20241101', 'Extension', 'extensions', {
    type: 'Microsoft.KubernetesConfiguration/extensions',
    owner: 'any',
    takes: 'extension',
  }),
  kind(configurations, 'v1api20241101', 'FluxConfiguration', 'fluxconfigurations', {
    type: 'Microsoft.KubernetesConfiguration/fluxConfigurations',
    owner: 'any',
    takes: 'configuration',
  }),
  kind(networks, 'v20250301', 'VirtualNetwork', 'virtualnetworks', {
    type: 'Microsoft.Network/virtualNetworks',
    owner: groupOwner,
    takes: 'small',
  }),
  kind(networks, 'v20250301', 'VirtualNetworksSubnet', 'virtualnetworkssubnets', {
    type: 'Microsoft.Network/virtualNetworks/subnets',
    owner: { group: networks, kind: 'VirtualNetwork' },
    takes: 'small',
  }),
];

/** Sources and kustomizations that the Flux of the management cluster applies to new clusters. */
export const gitRepositories: Resource = {
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'GitRepository',
  plural: 'gitrepositories',
  namespaced: true,
};
export const kustomizations: Resource = {
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Kustomization',
  plural: 'kustomizations',
  namespaced: true,
};

export const asoKindOf = (group: string, name: string): AsoKind | undefined =>
  asoKinds.find(({ resource }) => resource.group === group && resource.kind === name);

/** The ARM id of a resource below its owner; `owner` is the subscription for a resource group. */
export function armId(type: string, owner: string, name: string): string {
  if (type === 'Microsoft.Resources/resourceGroups') return `${owner}/resourceGroups/${name}`;
  const [namespace = '', ...types] = type.split('/');
  const last = types.at(-1) ?? '';
  // A child of its own provider's resource continues the path; an extension resource begins a new one.
  return types.length > 1 ? `${owner}/${last}/${name}` : `${owner}/providers/${namespace}/${last}/${name}`;
}

/** The id of what contains it: the resource group, the parent, or the scope of an extension resource. */
export function parentOf(id: string): string | undefined {
  const parts = id.split('/');
  const above = parts.slice(0, -2);
  const cut = above.at(-2)?.toLowerCase() === 'providers' ? above.slice(0, -2) : above;
  return cut.length > 3 ? cut.join('/') : undefined;
}
