/** The status of an object from what is in Azure: only fields that its definition has. */
import { asObject, isObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import type { AzureResource } from './azure/resource.ts';

/** What comes back as it was put. */
const echoed: Readonly<Record<string, readonly string[]>> = {
  ResourceGroup: ['location', 'tags'],
  UserAssignedIdentity: ['location', 'tags'],
  FederatedIdentityCredential: ['audiences', 'issuer', 'subject'],
  RoleAssignment: ['description', 'principalId', 'principalType'],
  ManagedCluster: [
    'location',
    'tags',
    'dnsPrefix',
    'fqdnSubdomain',
    'kubernetesVersion',
    'supportPlan',
    'disableLocalAccounts',
    'sku',
    'networkProfile',
    'nodeProvisioningProfile',
    'oidcIssuerProfile',
    'autoUpgradeProfile',
    'azureMonitorProfile',
  ],
  ManagedClustersAgentPool: [
    'availabilityZones',
    'count',
    'enableAutoScaling',
    'maxCount',
    'minCount',
    'mode',
    'nodeLabels',
    'nodeTaints',
    'osDiskSizeGB',
    'osSKU',
    'osType',
    'tags',
    'vmSize',
  ],
  Extension: ['autoUpgradeMinorVersion', 'extensionType', 'scope'],
  FluxConfiguration: [
    'gitRepository',
    'kustomizations',
    'namespace',
    'reconciliationWaitDuration',
    'scope',
    'sourceKind',
    'suspend',
    'waitForReconciliation',
  ],
  VirtualNetwork: ['addressSpace', 'location', 'tags'],
  VirtualNetworksSubnet: ['addressPrefix', 'addressPrefixes'],
};

/** Pools inside a cluster come back with these alone. */
const poolFields = [
  'availabilityZones',
  'count',
  'enableAutoScaling',
  'maxCount',
  'minCount',
  'mode',
  'name',
  'nodeLabels',
  'nodeTaints',
  'osDiskSizeGB',
  'osSKU',
  'osType',
  'type',
  'vmSize',
] as const;

const pick = (from: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(
    fields.flatMap((field): [string, Json][] => (from[field] === undefined ? [] : [[field, from[field]]])),
  );

export function statusFrom(kind: string, resource: AzureResource): JsonObject {
  const { id, name, type, body, facts, state } = resource;
  const common = { ...pick(body, echoed[kind] ?? []), id, name };
  switch (kind) {
    case 'ResourceGroup':
      return { ...common, type, properties: { provisioningState: state } };
    case 'ManagedCluster':
      return { ...common, type, ...clusterStatus(resource) };
    case 'ManagedClustersAgentPool':
      return {
        ...common,
        type,
        ...(body.type === undefined ? {} : { properties_type: body.type }),
        provisioningState: state,
        powerState: { code: 'Running' },
        nodeImageVersion: 'AKSUbuntu-2204gen2containerd-202611.01.0',
      };
    case 'RoleAssignment':
      return { ...common, type, roleDefinitionId: String(body.roleDefinitionID ?? '') };
    case 'FederatedIdentityCredential':
      return { ...common, type };
    case 'VirtualNetwork':
    case 'VirtualNetworksSubnet':
      return { ...common, type, provisioningState: state };
    default:
      return { ...common, type, ...facts };
  }
}

function clusterStatus({ body, facts, state }: AzureResource): JsonObject {
  const { issuerURL, principalId, tenantId, ...rest } = facts;
  const pools = Array.isArray(body.agentPoolProfiles) ? body.agentPoolProfiles.filter((one) => isObject(one)) : [];
  const identity = asObject(body.identity);
  const own = principalId === undefined ? {} : { principalId, tenantId: tenantId ?? '' };
  return {
    ...rest,
    provisioningState: state,
    ...(body.oidcIssuerProfile === undefined
      ? {}
      : {
          oidcIssuerProfile: { ...asObject(body.oidcIssuerProfile), ...(issuerURL === undefined ? {} : { issuerURL }) },
        }),
    ...(identity?.type === undefined ? {} : { identity: { type: identity.type, ...own } }),
    agentPoolProfiles: pools.map((pool) => ({
      ...pick(pool, poolFields),
      provisioningState: state,
      currentOrchestratorVersion: facts.currentKubernetesVersion ?? '',
    })),
  };
}
