/**
 * A request from what is there. The objects come first: a graph holds constants that no instance mentions. Pure.
 *
 * What the request would say by default is said here all the same where the cluster has another value, so that the comparison that follows
 * finds a difference only where there is one.
 */
import type { Json, JsonObject } from '../../../base/json.ts';
import { asoKinds } from '../../manifests/api-versions.ts';
import { objectNames } from '../../manifests/object-names.ts';
import type { PoolTypes } from '../../pool-types/pool-type.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../../request/kind.ts';
import type { ClusterRequest } from '../../request/request.ts';
import type { ClusterRequestSpec } from '../../request/schema.ts';
import { usualDnsPrefix } from '../../resolved/names.ts';
import { normalLocation } from '../../resolved/resolve.ts';
import { ownTagNames } from '../../resolved/tags.ts';
import type { AnyObject } from '../kro/graph.ts';
import { accessOf, addOnsOf, identityOf, networkOf, systemPoolOf } from './cluster.ts';
import { at, some, textAt } from './fields.ts';
import { gitOpsOf } from './git-ops.ts';
import { nodePoolOf } from './pools.ts';

export interface Extracted {
  request: ClusterRequest;
  /** Objects that the request describes; all others have no place in it. */
  described: readonly AnyObject[];
}

/** Undefined: there is no ManagedCluster, and so nothing to ask for. */
export function extractRequest(
  instance: AnyObject,
  children: readonly AnyObject[],
  types: PoolTypes,
): Extracted | undefined {
  const ofKind = (kind: string): AnyObject[] => children.filter((one) => one.kind === kind);
  const [cluster] = ofKind('ManagedCluster');
  if (cluster === undefined) return undefined;
  const { name, namespace = '' } = cluster.metadata;
  const names = objectNames(name);
  const groupName = textAt(cluster.spec, 'owner', 'name');
  const group = ofKind('ResourceGroup').find((one) => one.metadata.name === groupName) ?? ofKind('ResourceGroup')[0];
  const clusterName = textAt(cluster.spec, 'azureName') ?? name;
  const resourceGroup = textAt(group?.spec, 'azureName') ?? group?.metadata.name;
  const dnsPrefix = textAt(cluster.spec, 'dnsPrefix') ?? textAt(cluster.spec, 'fqdnSubdomain');
  const { nodePool, described: pool } = nodePoolOf(instance, ofKind('ManagedClustersAgentPool'), types);
  const [extension] = ofKind('Extension').filter(({ spec }) => textAt(spec, 'extensionType') === 'microsoft.flux');
  const [configuration] = ofKind('FluxConfiguration');
  const [identity] = ofKind('UserAssignedIdentity').filter(({ metadata }) => metadata.name === names.identity);
  const provisioned = textAt(cluster.spec, 'nodeProvisioningProfile', 'mode') === 'Auto';
  const tier = textAt(cluster.spec, 'sku', 'tier') ?? textAt(cluster.status, 'sku', 'tier');
  const plan = textAt(cluster.spec, 'supportPlan') ?? textAt(cluster.status, 'supportPlan');
  const upgrades = textAt(cluster.spec, 'autoUpgradeProfile', 'upgradeChannel');
  const spec = some<ClusterRequestSpec>({
    clusterName: clusterName === name ? undefined : clusterName,
    location: normalLocation(textAt(cluster.spec, 'location') ?? textAt(group?.spec, 'location') ?? ''),
    resourceGroup: resourceGroup === `rg-${clusterName}` ? undefined : resourceGroup,
    nodeResourceGroup: textAt(cluster.spec, 'nodeResourceGroup'),
    dnsPrefix: dnsPrefix === usualDnsPrefix(clusterName) ? undefined : dnsPrefix,
    kubernetesVersion: textAt(cluster.spec, 'kubernetesVersion'),
    tier: tier === 'Free' ? undefined : (tier as ClusterRequestSpec['tier']),
    supportPlan: plan === 'KubernetesOfficial' ? undefined : (plan as ClusterRequestSpec['supportPlan']),
    upgradeChannel: (upgrades === 'none' ? undefined : upgrades) as ClusterRequestSpec['upgradeChannel'],
    nodeOSUpgradeChannel: textAt(
      cluster.spec,
      'autoUpgradeProfile',
      'nodeOSUpgradeChannel',
    ) as ClusterRequestSpec['nodeOSUpgradeChannel'],
    nodes: provisioned ? undefined : 'agentPools',
    nodePool,
    systemPool: systemPoolOf(cluster),
    network: networkOf(cluster),
    identity: identityOf(cluster, names.identity),
    access: accessOf(cluster),
    addOns: addOnsOf(cluster, extension !== undefined && configuration === undefined),
    gitOps: configuration === undefined ? undefined : gitOpsOf(configuration),
    tags: tagsIn(cluster.spec),
    aso: apiVersionOf(cluster),
  });
  const described = [group, cluster, identity, pool, extension, configuration];
  return {
    request: {
      apiVersion: clusterRequestApiVersion,
      kind: clusterRequestKind.kind,
      metadata: { name, namespace },
      spec: spec ?? { location: '' },
    },
    described: described.filter((one) => one !== undefined),
  };
}

function tagsIn(spec: JsonObject | undefined): Record<string, string> | undefined {
  const tags = at(spec, 'tags');
  const kept = Object.entries((tags ?? {}) as { [key: string]: Json }).flatMap(([key, value]) =>
    typeof value === 'string' && !ownTagNames.includes(key) ? [[key, value] as const] : [],
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Another API version has other defaults in Azure, so a cluster keeps its own until the author of the request removes the field. */
function apiVersionOf({ apiVersion = '' }: AnyObject): ClusterRequestSpec['aso'] {
  const { group, versions } = asoKinds.ManagedCluster;
  const version = apiVersion.slice(group.length + 1);
  return version === versions[0]?.version || !versions.some((one) => one.version === version)
    ? undefined
    : { apiVersion: version };
}
