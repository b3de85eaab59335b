/** The nodes for workloads, from the sizes that are there. */
import type { PoolTypes } from '../../pool-types/pool-type.ts';
import type { ClusterRequestSpec } from '../../request/schema.ts';
import type { AnyObject } from '../kro/graph.ts';
import { numberAt, some, textAt, textsAt } from './fields.ts';

type NodePool = NonNullable<ClusterRequestSpec['nodePool']>;

/** What platforms call the type of a pool in their instances. */
const typeFields = ['nodePoolType', 'node-pool-type', 'poolType'];

export function poolTypeOf(instance: AnyObject, vmSizes: readonly string[], types: PoolTypes): string | undefined {
  const said = typeFields.flatMap((field) => textAt(instance.spec, field) ?? []).find((name) => types.has(name));
  if (said !== undefined) return said;
  const [size] = vmSizes;
  if (size === undefined) return undefined;
  const bySize = [...types.values()].find(({ vmSizes: own, acceptedVmSizes }) =>
    [...own, ...acceptedVmSizes].some((one) => one.toLowerCase() === size.toLowerCase()),
  );
  if (bySize !== undefined) return bySize.name;
  const family = /^Standard_([A-Z]+)\d/i.exec(size)?.[1]?.toUpperCase();
  return [...types.values()].find((type) => type.family.toUpperCase() === family)?.name;
}

/** @param pools Agent pools that are objects of their own. */
export function nodePoolOf(
  instance: AnyObject,
  pools: readonly AnyObject[],
  types: PoolTypes,
): { nodePool: NodePool | undefined; described: AnyObject | undefined } {
  const pool = pools.find(({ spec }) => textAt(spec, 'mode') !== 'System');
  const size = textAt(pool?.spec, 'vmSize');
  const type = poolTypeOf(instance, size === undefined ? [] : [size], types);
  const taints = textsAt(pool?.spec, 'nodeTaints')?.flatMap((text) => taintIn(text) ?? []);
  const nodePool = some<NodePool>({
    type,
    vmSizes: size === undefined ? undefined : [size],
    minCount: numberAt(pool?.spec, 'minCount'),
    maxCount: numberAt(pool?.spec, 'maxCount'),
    osDiskSizeGB: numberAt(pool?.spec, 'osDiskSizeGB'),
    zones: textsAt(pool?.spec, 'availabilityZones'),
    taints: pool === undefined ? undefined : (taints ?? []),
  });
  return { nodePool, described: pool };
}

type Taint = NonNullable<NodePool['taints']>[number];

function taintIn(text: string): Taint | undefined {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined) return undefined;
  return { key, ...(value ? { value } : {}), effect: effect as Taint['effect'] };
}
