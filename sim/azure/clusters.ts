/** The clusters that the stand-in knows: those of AKS, and connected ones (Arc) with their custom locations. */
import { createHash } from 'node:crypto';
import type { KubeletAccess, KubeletHook } from '../cloud/node-api.ts';

export const standInSubscription = '11111111-1111-4111-8111-111111111111';
export const standInResourceGroup = 'poolwright';

export type ClusterKind = 'aks' | 'arc';

export interface AzureClusterOptions {
  kind: ClusterKind;
  name: string;
  subscription?: string;
  resourceGroup?: string;
  location?: string;
  /** Arc only: the resource id. Null is a connected cluster that no Azure Local stands behind. */
  customLocation?: string | null;
  /** How many writes may be under way in this cluster; null is no limit. AKS has 1 unless told otherwise, Arc none. */
  operationsAtOnce?: number | null;
  /** Where the machines of its pools join. Without it, where those of all clusters join, if anywhere. */
  kubelet?: KubeletHook | KubeletAccess;
  /** What those hear who ask for its credentials. */
  kubeconfig?: string;
}

export interface AzureCluster {
  kind: ClusterKind;
  /** The ARM resource id. */
  id: string;
  name: string;
  subscription: string;
  resourceGroup: string;
  location: string;
  customLocation: string | undefined;
  operationsAtOnce: number;
  kubelet: KubeletHook | KubeletAccess | undefined;
  kubeconfig: string | undefined;
  /** Eight digits that AKS puts into the names of a cluster's scale sets; for Arc, eight letters. */
  mark: string;
}

/** One of each kind. Its name has hyphens because real ones have, and a parser that splits at them is wrong. */
export const defaultClusters: readonly AzureClusterOptions[] = [
  { kind: 'aks', name: 'aks-demo' },
  { kind: 'arc', name: 'arc-demo-one' },
];

export function clusterFrom(options: AzureClusterOptions): AzureCluster {
  const subscription = options.subscription ?? standInSubscription;
  const resourceGroup = options.resourceGroup ?? standInResourceGroup;
  const group = `/subscriptions/${subscription}/resourceGroups/${resourceGroup}`;
  const type =
    options.kind === 'aks' ? 'Microsoft.ContainerService/managedClusters' : 'Microsoft.Kubernetes/connectedClusters';
  const id = `${group}/providers/${type}/${options.name}`;
  const digest = createHash('sha256').update(id).digest();
  const ownPlace = `${group}/providers/Microsoft.ExtendedLocation/customLocations/${options.name}-location`;
  return {
    kind: options.kind,
    id,
    name: options.name,
    subscription,
    resourceGroup,
    location: options.location ?? 'eastus',
    customLocation:
      options.kind === 'aks' || options.customLocation === null ? undefined : (options.customLocation ?? ownPlace),
    operationsAtOnce:
      (options.operationsAtOnce === undefined ? (options.kind === 'aks' ? 1 : null) : options.operationsAtOnce) ??
      Number.POSITIVE_INFINITY,
    kubelet: options.kubelet,
    kubeconfig: options.kubeconfig,
    mark:
      options.kind === 'aks'
        ? String(10_000_000 + (digest.readUInt32BE(0) % 90_000_000))
        : digest.toString('hex').slice(0, 8),
  };
}

/** The group that AKS makes for a cluster's machines. */
export const machineGroup = ({ resourceGroup, name, location }: AzureCluster): string =>
  `MC_${resourceGroup}_${name}_${location}`;
