/** Azure Arc among the kinds of agent pools: its names, its Nodes and its providerIDs. */

import type { PoolShape } from '../agent-pools/pools/kind.ts';
import type { NodeSummary } from '../context.ts';
import { type InstanceIdPattern, literally } from '../instance-id.ts';
import { arcNodeClasses } from './kinds.ts';

export interface ArcPlace {
  subscription: string;
  resourceGroup: string;
  /** Absent as long as nobody knows it: then only shapes are known. */
  clusterName?: string;
}

const poolLabel = 'msft.microsoft/nodepool-name';

/** Ours have no hyphens, but those of others may: `a-b` must be read as such, and not as our `b`. */
const poolName = '([a-z0-9][a-z0-9-]*)';
/** Where the name of the cluster is not known, a pool with hyphens can't be told from one without; ours have none. */
const plainName = '([a-z0-9]+)';

const somePool =
  '^azure:///subscriptions/.+/microsoft\\.hybridcontainerservice/provisionedclusterinstances/default/agentpools/';
const insensitive = (pattern: string): InstanceIdPattern => ({ pattern, ignoreCase: true });
/** Of some cluster. */
const unplaced: readonly InstanceIdPattern[] = [
  insensitive(`${somePool}${poolName}$`),
  insensitive(`^moc://[^/]+-${plainName}-md-[^-/]+-[^-/]+$`),
];

export function arcShape({ subscription, resourceGroup, clusterName }: ArcPlace): PoolShape {
  const cluster = `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.Kubernetes/connectedClusters/${clusterName}`;
  const pools = `${cluster}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default/agentPools/`;
  // The name of the cluster is known, so it may have hyphens of its own: what is read begins after it.
  const beginning = `${clusterName?.toLowerCase()}-`;
  const placed: readonly InstanceIdPattern[] = [
    insensitive(`^${literally(`azure://${pools}`)}${poolName}$`),
    // moc://<cluster>-<hash>-<pool>-md-<hash>-<hash>
    insensitive(`^moc://${literally(beginning)}[^-/]+-${poolName}-md-[^-/]+-[^-/]+$`),
  ];
  return {
    name: 'arc',
    nodeClasses: arcNodeClasses,
    names: { minLength: 3, maxLength: 12, pattern: 'lower-alnum', firstLetter: true },
    abilities: [],
    pool: { osDisk: false },
    location: '',
    armId: (pool) => `${pools}${pool}`,
    instanceIds: clusterName === undefined ? unplaced : placed,
    nodes: {
      // The label has a hash in it that nobody knows, so a selector can only ask for its presence.
      ofPool: () => poolLabel,
      ofAll: poolLabel,
      // `<cluster>-<hash>-<pool>`.
      belongsTo: ({ labels }: NodeSummary, pool) => {
        const label = labels[poolLabel]?.toLowerCase() ?? '';
        return label.startsWith(beginning) && label.endsWith(`-${pool}`);
      },
    },
  };
}
