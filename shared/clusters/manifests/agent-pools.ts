/** Nodes without Karpenter: an agent pool with its autoscaler. */
import type { JsonObject } from '../../base/json.ts';
import type { TypeTaint } from '../pool-types/pool-type.ts';
import { agentPoolName, objectName } from '../resolved/names.ts';
import type { Generation } from './context.ts';
import { subnetsOf } from './managed-cluster.ts';
import type { Manifest } from './manifest.ts';
import { objectNames } from './object-names.ts';

/** @param versionFor The API version for what a pool says. */
export function agentPools(
  { resolved, context, tags, aso }: Generation,
  versionFor: (spec: JsonObject) => string,
): Manifest[] {
  const { nodePool: pool, name, network } = resolved;
  const vmSize = pool.vmSizes[0] ?? '';
  const azureName = agentPoolName(pool.type, [
    vmSize,
    String(pool.osDiskSizeGB),
    pool.imageFamily ?? '',
    ...pool.zones,
  ]);
  const spec: JsonObject = {
    azureName,
    owner: { name: objectNames(name).cluster },
    mode: 'User',
    type: 'VirtualMachineScaleSets',
    osType: 'Linux',
    ...(pool.imageFamily === undefined ? {} : { osSKU: pool.imageFamily }),
    vmSize,
    osDiskSizeGB: pool.osDiskSizeGB,
    enableAutoScaling: true,
    minCount: pool.minCount,
    maxCount: pool.maxCount,
    // AKS demands a number at creation. Later the autoscaler moves it, and every resync of the operator would move it back.
    ...(context.poolsExist === true ? {} : { count: pool.minCount }),
    ...(pool.zones.length === 0 ? {} : { availabilityZones: [...pool.zones] }),
    nodeLabels: { ...pool.labels },
    ...(pool.taints.length === 0 ? {} : { nodeTaints: pool.taints.map(taintText) }),
    tags,
    ...subnetsOf(network),
  };
  return [aso('ManagedClustersAgentPool', objectName(name, azureName), spec, versionFor(spec))];
}

const taintText = ({ key, value, effect }: TypeTaint): string =>
  value === undefined ? `${key}:${effect}` : `${key}=${value}:${effect}`;
