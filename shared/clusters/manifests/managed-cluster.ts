/** The cluster itself, with its add-ons: they are part of one request to Azure, not steps of their own. */
import { defined } from '../../base/defined.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Generation } from './context.ts';
import { kubeconfigKey, objectNames } from './object-names.ts';

/** In the shape of the newest API version; older ones have the same fields, or lack them. */
export function managedClusterSpec({ resolved, context, tags }: Generation): JsonObject {
  const names = objectNames(resolved.name);
  const { network, access, addOns } = resolved;
  // With a DNS zone of one's own, the whole name is chosen and not the beginning of one.
  const ownZone = network.privateDNSZone?.startsWith('/') === true;
  const credentials = access.disableLocalAccounts === true ? 'userCredentials' : 'adminCredentials';
  return withoutEmpty({
    azureName: resolved.clusterName,
    location: resolved.location,
    owner: { name: names.resourceGroup },
    tags: { ...tags, ...context.recordTags },
    ...(ownZone ? { fqdnSubdomain: resolved.dnsPrefix } : { dnsPrefix: resolved.dnsPrefix }),
    kubernetesVersion: resolved.kubernetesVersion,
    nodeResourceGroup: resolved.nodeResourceGroup,
    sku: { name: 'Base', tier: resolved.tier },
    supportPlan: resolved.supportPlan,
    identity: identityOf(resolved, names.identity),
    agentPoolProfiles: [systemPool(resolved)],
    networkProfile: {
      networkPlugin: network.plugin,
      networkPluginMode: network.pluginMode,
      networkDataplane: network.dataplane,
      networkPolicy: network.policy,
      podCidr: network.podCidr,
      serviceCidr: network.serviceCidr,
      dnsServiceIP: network.dnsServiceIP,
      outboundType: network.outboundType,
      loadBalancerSku: 'standard',
    },
    apiServerAccessProfile: apiServer(resolved),
    // Ours is the only pool: those that AKS adds would take pods away from it.
    nodeProvisioningProfile: resolved.nodes === 'nap' ? { mode: 'Auto', defaultNodePools: 'None' } : undefined,
    oidcIssuerProfile: addOns.workloadIdentity ? { enabled: true } : undefined,
    securityProfile: securityOf(resolved),
    addonProfiles: addOnProfiles(resolved),
    ingressProfile: ingressOf(resolved),
    azureMonitorProfile: addOns.monitoring?.metrics === true ? { metrics: { enabled: true } } : undefined,
    aadProfile: aadOf(resolved),
    disableLocalAccounts: access.disableLocalAccounts,
    autoUpgradeProfile: {
      upgradeChannel: resolved.upgradeChannel,
      nodeOSUpgradeChannel: resolved.nodeOSUpgradeChannel,
    },
    operatorSpec: {
      secrets: { [credentials]: { name: names.kubeconfig, key: kubeconfigKey } },
      configMaps: addOns.workloadIdentity ? { oidcIssuerProfile: { name: names.oidc, key: 'issuer' } } : undefined,
    },
  });
}

function identityOf({ identity }: Resolved, created: string): object {
  if (identity.type === 'SystemAssigned') return { type: 'SystemAssigned' };
  const reference =
    identity.resourceID === undefined
      ? { group: 'managedidentity.azure.com', kind: 'UserAssignedIdentity', name: created }
      : { armId: identity.resourceID };
  return { type: 'UserAssigned', userAssignedIdentities: [{ reference }] };
}

/** Without autoscaling: with node auto-provisioning AKS scales it itself, and otherwise its size is what the request says. */
function systemPool({ systemPool: pool, network }: Resolved): object {
  return {
    name: 'systempool',
    mode: 'System',
    type: 'VirtualMachineScaleSets',
    osType: 'Linux',
    count: pool.count,
    vmSize: pool.vmSize,
    enableAutoScaling: false,
    osDiskSizeGB: pool.osDiskSizeGB,
    availabilityZones: pool.zones,
    nodeTaints: pool.criticalAddonsOnly ? ['CriticalAddonsOnly=true:NoSchedule'] : [],
    ...subnetsOf(network),
  };
}

export const subnetsOf = ({ subnetID, podSubnetID }: Resolved['network']): object =>
  defined({
    vnetSubnetReference: subnetID === undefined ? undefined : { armId: subnetID },
    podSubnetReference: podSubnetID === undefined ? undefined : { armId: podSubnetID },
  });

const apiServer = ({ network }: Resolved): object => ({
  enablePrivateCluster: network.private ? true : undefined,
  privateDNSZone: network.privateDNSZone,
  authorizedIPRanges: network.authorizedIPRanges,
});

const securityOf = ({ addOns }: Resolved): object => ({
  workloadIdentity: addOns.workloadIdentity ? { enabled: true } : undefined,
  defender:
    addOns.defender === undefined
      ? undefined
      : {
          logAnalyticsWorkspaceResourceReference: { armId: addOns.defender.workspaceID },
          securityMonitoring: { enabled: true },
        },
});

function addOnProfiles({ addOns }: Resolved): object {
  const { monitoring, azurePolicy, keyVaultSecretsProvider: secrets } = addOns;
  return {
    ...addOns.profiles,
    omsagent:
      monitoring?.workspaceID === undefined
        ? undefined
        : { enabled: true, config: { logAnalyticsWorkspaceResourceID: monitoring.workspaceID, useAADAuth: 'true' } },
    azurepolicy: azurePolicy === undefined ? undefined : { enabled: azurePolicy },
    azureKeyvaultSecretsProvider:
      secrets === undefined
        ? undefined
        : {
            enabled: true,
            config: {
              enableSecretRotation: String(secrets.rotation ?? false),
              rotationPollInterval: secrets.rotationInterval,
            },
          },
  };
}

function ingressOf({ addOns }: Resolved): object | undefined {
  if (addOns.applicationRouting === undefined) return undefined;
  const zones = (addOns.applicationRouting.dnsZoneIDs ?? []).map((armId) => ({ armId }));
  return { webAppRouting: { enabled: true, dnsZoneResourceReferences: zones } };
}

function aadOf({ access }: Resolved): object | undefined {
  const groups = access.adminGroupObjectIDs ?? [];
  if (groups.length === 0 && access.azureRBAC !== true && access.disableLocalAccounts !== true) return undefined;
  return { managed: true, enableAzureRBAC: access.azureRBAC, adminGroupObjectIDs: groups };
}

/** What says nothing is left out, so that nothing is taken over that somebody else decides. */
function withoutEmpty(fields: object): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]: [string, unknown]) => {
      if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
      if (typeof value !== 'object' || value === null) return [[key, value]];
      if (Array.isArray(value)) {
        return [
          [key, value.map((one: unknown) => (typeof one === 'object' && one !== null ? withoutEmpty(one) : one))],
        ];
      }
      const inner = withoutEmpty(value);
      return Object.keys(inner).length === 0 && Object.keys(value).length > 0 ? [] : [[key, inner]];
    }),
  ) as JsonObject;
}
