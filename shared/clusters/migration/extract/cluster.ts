/** The parts of a request from a live ManagedCluster: from its spec, and where that is silent from what Azure says of it. */
import type { JsonObject } from '../../../base/json.ts';
import type { ClusterRequestSpec } from '../../request/schema.ts';
import type { AnyObject } from '../kro/graph.ts';
import { at, flagAt, numberAt, objectsAt, some, textAt, textsAt } from './fields.ts';

type Spec = ClusterRequestSpec;

/** Values that the schema of a request checks later: a live cluster may have others. */
const as = <T>(value: unknown): T | undefined => value as T | undefined;

export function networkOf(object: AnyObject): Spec['network'] {
  const { spec, status } = object;
  const text = (name: string): string | undefined =>
    textAt(spec, 'networkProfile', name) ?? textAt(status, 'networkProfile', name);
  const pool = systemProfile(object);
  const outbound = text('outboundType');
  return some({
    subnetID: textAt(pool, 'vnetSubnetReference', 'armId'),
    podSubnetID: textAt(pool, 'podSubnetReference', 'armId'),
    plugin: as(text('networkPlugin')),
    pluginMode: as(text('networkPluginMode')),
    dataplane: as(text('networkDataplane')),
    policy: as(text('networkPolicy')),
    podCidr: textAt(spec, 'networkProfile', 'podCidr'),
    serviceCidr: textAt(spec, 'networkProfile', 'serviceCidr'),
    dnsServiceIP: textAt(spec, 'networkProfile', 'dnsServiceIP'),
    outboundType: as(outbound === 'loadBalancer' ? undefined : outbound),
    private: flagAt(spec, 'apiServerAccessProfile', 'enablePrivateCluster'),
    privateDNSZone: textAt(spec, 'apiServerAccessProfile', 'privateDNSZone'),
    authorizedIPRanges: textsAt(spec, 'apiServerAccessProfile', 'authorizedIPRanges'),
  }) as Spec['network'];
}

export const systemProfile = ({ spec }: Pick<AnyObject, 'spec'>): JsonObject | undefined => {
  const profiles = objectsAt(spec, 'agentPoolProfiles');
  return profiles.find(({ mode }) => mode === 'System') ?? profiles[0];
};

export function systemPoolOf(object: AnyObject): Spec['systemPool'] {
  const pool = systemProfile(object);
  return some({
    vmSize: textAt(pool, 'vmSize'),
    count: numberAt(pool, 'count'),
    zones: textsAt(pool, 'availabilityZones'),
    osDiskSizeGB: numberAt(pool, 'osDiskSizeGB'),
    criticalAddonsOnly: textsAt(pool, 'nodeTaints')?.includes('CriticalAddonsOnly=true:NoSchedule') ? true : undefined,
  }) as Spec['systemPool'];
}

/** @param created The object of an identity that the request would create itself. */
export function identityOf({ spec }: AnyObject, created: string): Spec['identity'] {
  const type = textAt(spec, 'identity', 'type');
  if (type === 'SystemAssigned') return { type: 'SystemAssigned' };
  const [first] = objectsAt(spec, 'identity', 'userAssignedIdentities');
  const armId = textAt(first, 'reference', 'armId');
  if (armId !== undefined) return { type: 'UserAssigned', resourceID: armId };
  return textAt(first, 'reference', 'name') === created ? undefined : some({ type: as(type) });
}

export function accessOf({ spec }: AnyObject): Spec['access'] {
  return some({
    disableLocalAccounts: flagAt(spec, 'disableLocalAccounts'),
    azureRBAC: flagAt(spec, 'aadProfile', 'enableAzureRBAC'),
    adminGroupObjectIDs: textsAt(spec, 'aadProfile', 'adminGroupObjectIDs'),
  });
}

const ownProfiles: ReadonlySet<string> = new Set(['omsagent', 'azurepolicy', 'azureKeyvaultSecretsProvider']);

export function addOnsOf({ spec }: AnyObject, flux: boolean): Spec['addOns'] {
  const profile = (name: string): JsonObject | undefined => {
    const found = at(spec, 'addonProfiles', name) as JsonObject | undefined;
    return found?.enabled === true ? found : undefined;
  };
  const secrets = profile('azureKeyvaultSecretsProvider');
  const rotation = textAt(secrets, 'config', 'enableSecretRotation');
  const logs = textAt(profile('omsagent'), 'config', 'logAnalyticsWorkspaceResourceID');
  const defender = textAt(spec, 'securityProfile', 'defender', 'logAnalyticsWorkspaceResourceReference', 'armId');
  const zones = objectsAt(spec, 'ingressProfile', 'webAppRouting', 'dnsZoneResourceReferences').flatMap(
    (one) => textAt(one, 'armId') ?? [],
  );
  const others = Object.entries((at(spec, 'addonProfiles') as JsonObject | undefined) ?? {}).filter(
    ([name]) => !ownProfiles.has(name),
  );
  const identities =
    flagAt(spec, 'oidcIssuerProfile', 'enabled') === true &&
    flagAt(spec, 'securityProfile', 'workloadIdentity', 'enabled') === true;
  return some({
    monitoring: some({
      workspaceID: logs,
      metrics: flagAt(spec, 'azureMonitorProfile', 'metrics', 'enabled') === true ? true : undefined,
    }),
    azurePolicy: flagAt(spec, 'addonProfiles', 'azurepolicy', 'enabled'),
    keyVaultSecretsProvider:
      secrets &&
      (some({
        rotation: rotation === undefined ? undefined : rotation === 'true',
        rotationInterval: textAt(secrets, 'config', 'rotationPollInterval'),
      }) ??
        {}),
    applicationRouting:
      flagAt(spec, 'ingressProfile', 'webAppRouting', 'enabled') === true
        ? (some({ dnsZoneIDs: zones.length === 0 ? undefined : zones }) ?? {})
        : undefined,
    // It is on by default, and a live cluster may be without it.
    workloadIdentity: identities ? undefined : false,
    defender: defender === undefined ? undefined : { workspaceID: defender },
    flux: flux ? true : undefined,
    profiles: others.length === 0 ? undefined : (Object.fromEntries(others) as never),
  }) as Spec['addOns'];
}
