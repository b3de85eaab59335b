/** KAITO in its karpenter mode: it makes a static NodePool and an AKSNodeClass for each workspace, and waits for the nodes. */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodePools } from '../../shared/kube/contract.ts';
import { reconcilePool } from '../../shared/nodes/pools/reconcile-pool.ts';
import { aksNodeClass } from '../../shared/providers/agent-pools/node-classes/kinds.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus } from '../nodes/world.ts';
import { openAzureWorld } from './azure-world.ts';

const open = useWorld();

const workspace = {
  'karpenter.kaito.sh/workspace-name': 'falcon',
  'karpenter.kaito.sh/workspace-namespace': 'default',
};
const nodeClass = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'image-family-ubuntu' },
  spec: { imageFamily: 'Ubuntu' },
};
const pool = (requirements: Json[]) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default-falcon', labels: { 'karpenter.kaito.sh/managed-by': 'kaito', ...workspace } },
  spec: {
    replicas: 1,
    template: {
      metadata: { labels: { ...workspace, apps: 'falcon' } },
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'image-family-ubuntu' },
        requirements: [
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_NC12s_v3'] },
          ...requirements,
        ],
        taints: [{ key: 'sku', value: 'gpu', effect: 'NoSchedule' }],
      },
    },
    disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1', reasons: ['Drifted'] }] },
  },
});

async function served(requirements: Json[]) {
  const world = await openAzureWorld(open, { kinds: ['aks'] });
  expect((await world.api.create({ ...aksNodeClass, namespaced: false }, nodeClass)).ok).toBe(true);
  expect((await world.api.create(nodePools, pool(requirements))).ok).toBe(true);
  const { signal } = new AbortController();
  const reconciled = await reconcilePool(world.services, world.clusterServices, 'default-falcon', signal);
  expect(reconciled).toMatchObject({ ok: true });
  await world.pass(200);
  const [claim] = await world.claims();
  return { world, claim };
}

it('gets its nodes from agent pools, in the whole region, with the usual disk', async () => {
  const { world, claim } = await served([
    { key: 'karpenter.azure.com/placement-scope', operator: 'In', values: ['regional'] },
  ]);
  expect(conditionStatus(claim, 'Ready'), conditionOf(claim, 'Launched')?.message).toBe('True');
  expect(world.azure.living).toBe(1);
  const [node] = await world.nodes();
  expect(node?.metadata.labels).toMatchObject({
    ...workspace,
    apps: 'falcon',
    'karpenter.sh/nodepool': 'default-falcon',
    'node.kubernetes.io/instance-type': 'Standard_NC12s_v3',
  });
  expect(node?.spec?.taints ?? []).toContainEqual(expect.objectContaining({ key: 'sku', value: 'gpu' }));
});

it.each<Json>([
  { key: 'karpenter.azure.com/sku-series', operator: 'In', values: ['NCs_v3'] },
  { key: 'karpenter.azure.com/sku-storage-ultra-ssd', operator: 'NotIn', values: ['true'] },
  { key: 'kubernetes.azure.com/mode', operator: 'In', values: ['user'] },
  { key: 'kubernetes.azure.com/scalesetpriority', operator: 'In', values: ['regular'] },
  { key: 'kubernetes.azure.com/os-sku', operator: 'In', values: ['Ubuntu'] },
])('knows the label of %j', async (requirement) => {
  const { claim } = await served([requirement]);
  expect(conditionStatus(claim, 'Ready'), conditionOf(claim, 'Launched')?.message).toBe('True');
});

it.each<Json>([
  { key: 'karpenter.azure.com/sku-series', operator: 'In', values: ['NCads_v4'] },
  { key: 'karpenter.azure.com/sku-storage-ultra-ssd', operator: 'In', values: ['true'] },
])('creates no pool for %j, which no size here has', async (requirement) => {
  const { world } = await served([requirement]);
  expect(world.azure.living).toBe(0);
});
