/**
 * A request with every default filled in: what rules judge, the generator writes, and two versions of a request are compared in. No default
 * is stored on the object, so a later release may have better ones for new clusters; what is live is compared before it changes.
 */
import { defaultPoolType } from '../pool-types/built-in.ts';
import type { PoolTypes, TypeTaint } from '../pool-types/pool-type.ts';
import type { NodeMaker } from '../request/choices.ts';
import type { ClusterRequest } from '../request/request.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { neededNodeResourceGroup, usualDnsPrefix } from './names.ts';

type Spec = ClusterRequestSpec;
type Network = NonNullable<Spec['network']>;
type GitOps = NonNullable<Spec['gitOps']>;

export interface ResolvedPool {
  /** Name of its type. */
  type: string;
  family: string;
  versions: readonly string[];
  /** Sizes of the type, or of the request. */
  vmSizes: readonly string[];
  /** The request names its sizes, so no other may be used. */
  exactSizes: boolean;
  /** Absent where a static pool counts nodes. */
  limits: Readonly<Record<string, string | number>>;
  labels: Readonly<Record<string, string>>;
  taints: readonly TypeTaint[];
  replicas: number;
  minCount: number;
  maxCount: number;
  zones: readonly string[];
  osDiskSizeGB: number;
  imageFamily?: string;
  expireAfter: string;
  consolidationPolicy: string;
  consolidateAfter: string;
}

export interface ResolvedGitOps extends Omit<GitOps, 'mode' | 'kustomizations' | 'interval' | 'provider'> {
  mode: 'extension' | 'remote';
  provider: 'Generic' | 'Azure';
  interval: string;
  kustomizations: readonly {
    name: string;
    path: string;
    dependsOn: readonly string[];
    prune: boolean;
    wait: boolean;
  }[];
}

export interface Resolved {
  name: string;
  namespace: string;
  clusterName: string;
  location: string;
  resourceGroup: string;
  /** Absent where AKS names it. */
  nodeResourceGroup?: string | undefined;
  dnsPrefix: string;
  kubernetesVersion?: string | undefined;
  tier: string;
  supportPlan: string;
  upgradeChannel: string;
  nodeOSUpgradeChannel?: string | undefined;
  nodes: NodeMaker;
  nodePool: ResolvedPool;
  systemPool: {
    vmSize: string;
    count: number;
    zones: readonly string[];
    osDiskSizeGB?: number | undefined;
    criticalAddonsOnly: boolean;
  };
  network: Omit<Network, 'plugin' | 'outboundType' | 'private'> & {
    plugin: string;
    outboundType: string;
    private: boolean;
  };
  identity: {
    type: string;
    resourceID?: string | undefined;
    federatedCredentials: readonly { name: string; serviceAccount: string; audience: string }[];
  };
  access: NonNullable<Spec['access']>;
  addOns: NonNullable<Spec['addOns']> & { workloadIdentity: boolean };
  gitOps?: ResolvedGitOps | undefined;
  tags: Readonly<Record<string, string>>;
  lifetime?: string | undefined;
  deleteGuard: boolean;
  dryRun: boolean;
  driver: string;
  aso: NonNullable<Spec['aso']>;
}

export const defaultSystemSize = 'Standard_D4s_v5';
export const tokenAudience = 'api://AzureADTokenExchange';

/** `West Europe` is `westeurope`: portals show the one, and Azure takes the other. */
export const normalLocation = (location: string): string => location.toLowerCase().replaceAll(' ', '');

export function resolve({ metadata, spec }: ClusterRequest, types: PoolTypes): Resolved {
  const clusterName = spec.clusterName ?? metadata.name;
  const location = normalLocation(spec.location);
  const resourceGroup = spec.resourceGroup ?? `rg-${clusterName}`;
  const federated = spec.identity?.federatedCredentials ?? [];
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    clusterName,
    location,
    resourceGroup,
    nodeResourceGroup: spec.nodeResourceGroup ?? neededNodeResourceGroup(resourceGroup, clusterName, location),
    dnsPrefix: spec.dnsPrefix ?? usualDnsPrefix(clusterName),
    kubernetesVersion: spec.kubernetesVersion,
    tier: spec.tier ?? 'Free',
    supportPlan: spec.supportPlan ?? 'KubernetesOfficial',
    upgradeChannel: spec.upgradeChannel ?? 'none',
    nodeOSUpgradeChannel: spec.nodeOSUpgradeChannel,
    nodes: spec.nodes ?? 'nap',
    nodePool: resolvePool(spec, clusterName, types),
    systemPool: {
      vmSize: spec.systemPool?.vmSize ?? defaultSystemSize,
      count: spec.systemPool?.count ?? 2,
      zones: spec.systemPool?.zones ?? [],
      osDiskSizeGB: spec.systemPool?.osDiskSizeGB,
      criticalAddonsOnly: spec.systemPool?.criticalAddonsOnly ?? false,
    },
    network: resolveNetwork(spec.network ?? {}),
    identity: {
      type: spec.identity?.type ?? 'UserAssigned',
      resourceID: spec.identity?.resourceID,
      federatedCredentials: federated.map((one) => ({ ...one, audience: one.audience ?? tokenAudience })),
    },
    access: spec.access ?? {},
    addOns: { ...spec.addOns, workloadIdentity: spec.addOns?.workloadIdentity ?? true },
    gitOps: spec.gitOps === undefined ? undefined : resolveGitOps(spec.gitOps),
    tags: spec.tags ?? {},
    lifetime: spec.lifetime,
    deleteGuard: spec.deleteGuard ?? false,
    dryRun: spec.dryRun ?? false,
    driver: spec.driver ?? 'aso',
    aso: spec.aso ?? {},
  };
}

function resolvePool({ nodePool = {}, nodes }: Spec, clusterName: string, types: PoolTypes): ResolvedPool {
  const typeName = nodePool.type ?? defaultPoolType;
  const type = types.get(typeName);
  const ofType = nodes === 'poolwright' ? {} : type?.limits;
  return {
    type: typeName,
    family: nodePool.family ?? type?.family ?? '',
    versions: type?.versions ?? [],
    vmSizes: nodePool.vmSizes ?? type?.vmSizes ?? [],
    exactSizes: nodePool.vmSizes !== undefined,
    limits: nodePool.limits ?? ofType ?? {},
    labels: { 'node-pool-type': typeName, 'cluster-name': clusterName, ...nodePool.labels },
    taints: nodePool.taints ?? type?.taints ?? [],
    replicas: nodePool.replicas ?? 1,
    minCount: nodePool.minCount ?? 1,
    maxCount: nodePool.maxCount ?? Math.max(3, nodePool.minCount ?? 1),
    zones: nodePool.zones ?? [],
    osDiskSizeGB: nodePool.osDiskSizeGB ?? 128,
    ...(nodePool.imageFamily === undefined ? {} : { imageFamily: nodePool.imageFamily }),
    expireAfter: nodePool.expireAfter ?? '2160h',
    consolidationPolicy: nodePool.consolidationPolicy ?? 'WhenEmpty',
    consolidateAfter: nodePool.consolidateAfter ?? '30s',
  };
}

/** The overlay with Cilium, unless something of the request speaks against it. */
function resolveNetwork(network: Network): Resolved['network'] {
  const plugin = network.plugin ?? 'azure';
  const pluginMode =
    network.pluginMode ?? (plugin === 'azure' && network.podSubnetID === undefined ? 'overlay' : undefined);
  const usual = plugin === 'azure' && (network.policy === undefined || network.policy === 'cilium');
  const dataplane = network.dataplane ?? (usual ? 'cilium' : undefined);
  const policy = network.policy ?? (dataplane === 'cilium' ? 'cilium' : undefined);
  return {
    ...network,
    plugin,
    ...(pluginMode === undefined ? {} : { pluginMode }),
    ...(dataplane === undefined ? {} : { dataplane }),
    ...(policy === undefined ? {} : { policy }),
    outboundType: network.outboundType ?? 'loadBalancer',
    private: network.private ?? false,
  };
}

function resolveGitOps({ mode, provider, interval, kustomizations, branch, ...rest }: GitOps): ResolvedGitOps {
  const pinned = rest.tag !== undefined || rest.semver !== undefined || rest.commit !== undefined;
  const branchName = branch ?? (pinned ? undefined : 'main');
  return {
    ...rest,
    ...(branchName === undefined ? {} : { branch: branchName }),
    mode: mode ?? 'extension',
    provider: provider ?? 'Generic',
    interval: interval ?? '5m',
    kustomizations: (kustomizations ?? [{ name: 'cluster' }]).map((one) => ({
      name: one.name,
      path: one.path ?? './',
      dependsOn: one.dependsOn ?? [],
      prune: one.prune ?? true,
      wait: one.wait ?? true,
    })),
  };
}
