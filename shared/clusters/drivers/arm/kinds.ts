/** What each kind of manifest is in Azure Resource Manager: where it is, in which version of its API, and whether it can have tags. */
import { asObject } from '../../../base/json.ts';
import { type AsoKindName, asoKinds } from '../../manifests/api-versions.ts';
import { type Manifest, placeAnnotations } from '../../manifests/manifest.ts';
import { isAsoKind } from '../../manifests/resources.ts';

export const identityType = 'Microsoft.ManagedIdentity/userAssignedIdentities';
export const clusterType = 'Microsoft.ContainerService/managedClusters';
const configuration = 'Microsoft.KubernetesConfiguration';

/** Where the tags are; `none`: whose it is, its name says or what it belongs to. */
export const taggedAt: Readonly<Record<AsoKindName, 'top' | 'properties' | 'none'>> = {
  ResourceGroup: 'top',
  UserAssignedIdentity: 'top',
  ManagedCluster: 'top',
  ManagedClustersAgentPool: 'properties',
  FederatedIdentityCredential: 'none',
  RoleAssignment: 'none',
  Extension: 'none',
  FluxConfiguration: 'none',
};

/** `v1api20250801` → `2025-08-01`: the operator names its versions after those of Azure. */
export function apiVersionOf(apiVersion: string): string {
  const found = /\/v(?:1api)?(\d{4})(\d{2})(\d{2})(preview)?$/.exec(apiVersion);
  if (found === null) throw new Error(`${apiVersion} is not named after a version of Azure`);
  const [, year, month, day, preview] = found;
  return `${year}-${month}-${day}${preview === undefined ? '' : '-preview'}`;
}

/** The one that manifests are written in unless somebody says otherwise. */
export const usualVersion = (kind: AsoKindName): string =>
  `${asoKinds[kind].group}/${asoKinds[kind].versions[0].version}`;

export interface Target {
  kind: AsoKindName;
  /** ARM id. */
  id: string;
  apiVersion: string;
  /** Ids of what it may refer to. */
  group: string;
  cluster: string;
  identity(name: string): string;
  /** What it belongs to, where that says whose it is. */
  parent?: { id: string; apiVersion: string };
}

/** Undefined for kinds that are none of Azure's. */
export function targetOf(subscriptionId: string, manifest: Manifest): Target | undefined {
  const { kind, metadata, spec } = manifest;
  if (!isAsoKind(kind)) return undefined;
  const name = typeof spec.azureName === 'string' ? spec.azureName : metadata.name;
  const place = (key: keyof typeof placeAnnotations): string => metadata.annotations?.[placeAnnotations[key]] ?? '';
  const group = groupId(subscriptionId, kind === 'ResourceGroup' ? name : place('resourceGroup'));
  const cluster = clusterId(group, kind === 'ManagedCluster' ? name : place('cluster'));
  const identity = (of: string): string => `${group}/providers/${identityType}/${of}`;
  const owner = asObject(spec.owner);
  const ownerName = typeof owner?.name === 'string' ? owner.name : '';
  const version = (of: AsoKindName): string => apiVersionOf(usualVersion(of));
  const inCluster = { parent: { id: cluster, apiVersion: version('ManagedCluster') } };
  const common = { kind, apiVersion: apiVersionOf(manifest.apiVersion), group, cluster, identity };
  switch (kind) {
    case 'ResourceGroup':
      return { ...common, id: group };
    case 'UserAssignedIdentity':
      return { ...common, id: identity(name) };
    case 'FederatedIdentityCredential':
      return {
        ...common,
        id: `${identity(ownerName)}/federatedIdentityCredentials/${name}`,
        parent: { id: identity(ownerName), apiVersion: version('UserAssignedIdentity') },
      };
    case 'RoleAssignment': {
      const scope = typeof owner?.armId === 'string' ? owner.armId : '';
      return { ...common, id: `${scope}/providers/Microsoft.Authorization/roleAssignments/${name}` };
    }
    case 'ManagedCluster':
      return { ...common, id: cluster };
    case 'ManagedClustersAgentPool':
      return { ...common, id: `${cluster}/agentPools/${name}` };
    case 'Extension':
      return { ...common, ...inCluster, id: `${cluster}/providers/${configuration}/extensions/${name}` };
    case 'FluxConfiguration':
      return { ...common, ...inCluster, id: `${cluster}/providers/${configuration}/fluxConfigurations/${name}` };
  }
}

export const groupId = (subscriptionId: string, name: string): string =>
  `/subscriptions/${subscriptionId}/resourceGroups/${name}`;
export const clusterId = (group: string, name: string): string => `${group}/providers/${clusterType}/${name}`;
