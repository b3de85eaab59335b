/** The nodes of agent pools: there as long as their pool is. */
import { isObject, type Json, type JsonObject } from '../../../shared/base/json.ts';
import { readyCondition } from '../../cloud/node-object.ts';
import type { ClusterStore } from '../../cluster/server.ts';
import type { AzureResource } from '../azure/resource.ts';

const nodes = { apiVersion: 'v1', plural: 'nodes' };
const poolLabel = 'kubernetes.azure.com/agentpool';

interface Pool {
  name: string;
  mode: string;
  count: number;
  vmSize: string;
  labels: Record<string, string>;
  taints: readonly string[];
}

/** @param separate Pools that are objects of their own. */
export function poolsOf(cluster: AzureResource, separate: readonly AzureResource[]): Pool[] {
  const inline = Array.isArray(cluster.body.agentPoolProfiles)
    ? cluster.body.agentPoolProfiles.filter((one) => isObject(one)).map((one) => poolFrom(String(one.name), one))
    : [];
  return [...inline, ...separate.map(({ name, body }) => poolFrom(name, body))];
}

const poolFrom = (name: string, body: JsonObject): Pool => ({
  name,
  mode: String(body.mode ?? 'User'),
  // A pool whose autoscaler moves its count may be put without one.
  count: Number(body.count ?? body.minCount ?? 1),
  vmSize: String(body.vmSize ?? ''),
  labels: isObject(body.nodeLabels) ? (body.nodeLabels as Record<string, string>) : {},
  taints: Array.isArray(body.nodeTaints) ? body.nodeTaints.map(String) : [],
});

export async function keepNodes(
  store: ClusterStore,
  cluster: AzureResource,
  pools: readonly Pool[],
  now: number,
): Promise<void> {
  const mark = String(10_000_000 + (cluster.seq % 90_000_000));
  const wanted = new Map<string, Pool>();
  for (const pool of pools) {
    for (let index = 0; index < pool.count; index++) {
      wanted.set(`aks-${pool.name}-${mark}-vmss${index.toString(36).padStart(6, '0')}`, pool);
    }
  }
  const { items } = await store.list(nodes, { labelSelector: poolLabel });
  for (const { metadata } of items) {
    if (!wanted.delete(metadata.name)) await store.delete({ ...nodes, name: metadata.name });
  }
  for (const [name, pool] of wanted) await store.create(nodes, nodeObject(name, pool, cluster, now));
}

function nodeObject(name: string, pool: Pool, cluster: AzureResource, now: number): JsonObject {
  const group = String(cluster.facts.nodeResourceGroup ?? '');
  const scaleSet = name.slice(0, -6);
  const index = Number.parseInt(name.slice(-6), 36);
  const subscription = cluster.id.split('/')[2];
  const room = { cpu: '4', memory: '16Gi', pods: '250' };
  const labels: Record<string, string> = {
    ...pool.labels,
    [poolLabel]: pool.name,
    'kubernetes.azure.com/mode': pool.mode.toLowerCase(),
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'node.kubernetes.io/instance-type': pool.vmSize,
    'topology.kubernetes.io/region': String(cluster.body.location ?? ''),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {
      providerID: `azure:///subscriptions/${subscription}/resourceGroups/${group.toLowerCase()}/providers/Microsoft.Compute/virtualMachineScaleSets/${scaleSet}/virtualMachines/${index}`,
      ...(pool.taints.length === 0 ? {} : { taints: pool.taints.map(taintFrom) }),
    },
    status: { capacity: room, allocatable: room, conditions: [readyCondition('True', now)] },
  };
}

function taintFrom(text: string): Json {
  const [what = '', effect = 'NoSchedule'] = text.split(':');
  const [key = '', value] = what.split('=');
  return { key, ...(value === undefined ? {} : { value }), effect };
}
