/** AKS among the kinds of agent pools: its names, its Nodes and its providerIDs. */

import type { PoolShape } from '../agent-pools/pools/kind.ts';
import type { NodeSummary } from '../context.ts';
import { type InstanceIdPattern, literally } from '../instance-id.ts';
import { aksNodeClasses } from './kinds.ts';

export interface AksPlace {
  subscription: string;
  resourceGroup: string;
  /** Absent as long as nobody knows it: then only shapes are known. */
  clusterName?: string;
  location: string;
}

/** AKS puts both on every node; the second one nobody else may set. */
const poolLabels = ['agentpool', 'kubernetes.azure.com/agentpool'] as const;

const poolName = '([a-z][a-z0-9]{0,11})';

/** Names of scale sets are `aks-<pool>-<number>-vmss`, and pools have no hyphens. Azure does not tell names by their case. */
const scaleSetMachine: InstanceIdPattern = {
  pattern: `^azure:///subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\\.Compute/virtualMachineScaleSets/aks-${poolName}-[^/]+/virtualMachines/[^/]+$`,
  ignoreCase: true,
};

/** The stand-in for a machine of some cluster. */
const somePool: InstanceIdPattern = {
  pattern: `^azure:///subscriptions/[^/]+/resourcegroups/[^/]+/providers/microsoft\\.containerservice/managedclusters/[^/]+/agentpools/${poolName}$`,
  ignoreCase: true,
};

export function aksShape({ subscription, resourceGroup, clusterName, location }: AksPlace): PoolShape {
  const cluster = `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.ContainerService/managedClusters/${clusterName}`;
  const ownPool = { pattern: `^${literally(`azure://${cluster}/agentPools/`)}${poolName}$`, ignoreCase: true };
  return {
    name: 'aks',
    nodeClasses: aksNodeClasses,
    names: { maxLength: 12, pattern: 'lower-alnum', firstLetter: true },
    abilities: ['spot'],
    pool: { osDisk: true },
    location,
    armId: (pool) => `${cluster}/agentPools/${pool}`,
    instanceIds: [clusterName === undefined ? somePool : ownPool, scaleSetMachine],
    nodes: {
      ofPool: (pool) => poolLabels.map((label) => `${label}=${pool}`).join(','),
      ofAll: poolLabels.join(','),
      belongsTo: ({ labels }: NodeSummary, pool) => poolLabels.every((label) => labels[label] === pool),
    },
  };
}
