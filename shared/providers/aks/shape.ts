/** AKS among the kinds of agent pools: its names, its Nodes and its providerIDs. */

import type { PoolShape } from '../agent-pools/pools/kind.ts';
import type { NodeSummary } from '../context.ts';
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

/** Names of scale sets are `aks-<pool>-<number>-vmss`, and pools have no hyphens. Azure is not sure about case. */
const scaleSetMachine =
  /^azure:\/\/\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Compute\/virtualMachineScaleSets\/aks-([a-z][a-z0-9]{0,11})-[^/]+\/virtualMachines\/[^/]+$/i;

/** The stand-in for a machine of some cluster. */
const somePool =
  /^azure:\/\/\/subscriptions\/[^/]+\/resourcegroups\/[^/]+\/providers\/microsoft\.containerservice\/managedclusters\/[^/]+\/agentpools\/(.+)$/;

export function aksShape({ subscription, resourceGroup, clusterName, location }: AksPlace): PoolShape {
  const cluster = `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.ContainerService/managedClusters/${clusterName}`;
  const standIn = `azure://${cluster}/agentPools/`.toLowerCase();
  return {
    name: 'aks',
    nodeClasses: aksNodeClasses,
    names: { maxLength: 12, pattern: 'lower-alnum', firstLetter: true },
    abilities: ['spot'],
    pool: { osDisk: true },
    location,
    armId: (pool) => `${cluster}/agentPools/${pool}`,
    poolOf: (providerID) => {
      const text = providerID.toLowerCase();
      if (text.startsWith(standIn)) return poolName(text.slice(standIn.length));
      if (clusterName === undefined && somePool.test(text)) return poolName(somePool.exec(text)?.[1] ?? '');
      return scaleSetMachine.exec(providerID)?.[1]?.toLowerCase();
    },
    nodes: {
      ofPool: (pool) => poolLabels.map((label) => `${label}=${pool}`).join(','),
      ofAll: poolLabels.join(','),
      belongsTo: ({ labels }: NodeSummary, pool) => poolLabels.every((label) => labels[label] === pool),
    },
  };
}

const poolName = (text: string): string | undefined => (/^[a-z][a-z0-9]{0,11}$/.test(text) ? text : undefined);
