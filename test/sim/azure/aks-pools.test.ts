import { expect, test } from 'vitest';
import { all, gpuPool, nodeShelf, providerIDOf, refusal, standIn } from './stand-in.ts';

const group = 'poolwright';
const cluster = 'aks-demo';

test('a pool is created by an operation and its machine joins the cluster', async () => {
  const shelf = nodeShelf();
  const { aks, advance, azure } = await standIn({ kubelet: shelf, settings: { createSeconds: 30, readySeconds: 5 } });

  const poller = aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool);
  await poller.submitted();
  const creating = await aks.agentPools.get(group, cluster, 'one');
  expect(creating).toMatchObject({ name: 'one', provisioningState: 'Creating', vmSize: 'Standard_NC12s_v3' });
  await poller.poll();
  expect(poller.isDone).toBe(false);
  expect(shelf.nodes.size).toBe(0);

  await advance(30);
  await poller.poll();
  expect(poller.operationState?.status).toBe('succeeded');
  const done = await aks.agentPools.get(group, cluster, 'one');
  expect(done).toMatchObject({ provisioningState: 'Succeeded', nodeLabels: gpuPool.nodeLabels, tags: gpuPool.tags });
  expect(done.eTag).not.toBe(creating.eTag);

  const [node] = [...shelf.nodes.values()];
  expect(node).toMatchObject({
    metadata: {
      labels: {
        agentpool: 'one',
        'kubernetes.azure.com/agentpool': 'one',
        'kaito.sh/workspace': 'none',
        'node.kubernetes.io/instance-type': 'Standard_NC12s_v3',
      },
    },
    spec: { taints: [{ key: 'sku', value: 'gpu', effect: 'NoSchedule' }, { key: 'node.kubernetes.io/not-ready' }] },
    status: { capacity: { 'nvidia.com/gpu': '2' }, conditions: [{ type: 'Ready', status: 'False' }] },
  });
  expect(providerIDOf(node)).toMatch(
    /^azure:\/\/\/subscriptions\/[^/]+\/resourceGroups\/MC_poolwright_aks-demo_eastus\/providers\/Microsoft.Compute\/virtualMachineScaleSets\/aks-one-\d{8}-vmss\/virtualMachines\/0$/,
  );
  await advance(5);
  expect([...shelf.nodes.values()][0]).toMatchObject({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });

  const [machine] = await all(aks.machines.list(group, cluster, 'one'));
  expect(machine?.properties?.resourceId).toMatch(/virtualMachineScaleSets\/aks-one-\d+-vmss\/virtualMachines\/0$/);
  expect(azure.ledger()).toMatchObject([
    { id: 'one', claimUid: 'uid-1', attempt: 1, goneAt: null, state: 'Succeeded' },
  ]);
});

test('a deleted pool takes its Node along, and its name is free again', async () => {
  const shelf = nodeShelf();
  const { aks, advance, azure } = await standIn({ kubelet: shelf, settings: { createSeconds: 1, deleteSeconds: 20 } });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  await advance(1);
  const { eTag = '' } = await aks.agentPools.get(group, cluster, 'one');

  const poller = aks.agentPools.delete(group, cluster, 'one', { ifMatch: eTag });
  await poller.submitted();
  expect((await aks.agentPools.get(group, cluster, 'one')).provisioningState).toBe('Deleting');
  await advance(20);
  await poller.poll();
  expect(poller.operationState?.status).toBe('succeeded');
  expect(await refusal(aks.agentPools.get(group, cluster, 'one'))).toMatchObject({ status: 404, code: 'NotFound' });
  expect(shelf.nodes.size).toBe(0);
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  await advance(1);
  expect(shelf.nodes.size).toBe(1);
  expect(azure.ledger().map(({ goneAt, createdAt }) => (goneAt ?? 0) - createdAt)).toEqual([
    21_000,
    expect.any(Number),
  ]);
  expect(azure.overlaps()).toEqual([]);
});

test('conditions keep a pool of the same name from being overwritten or deleted', async () => {
  const { aks, advance, azure } = await standIn({ settings: { createSeconds: 1 } });
  azure.makeForeignPool('theirs');
  const put = aks.agentPools.createOrUpdate(group, cluster, 'theirs', gpuPool, { ifNoneMatch: '*' }).submitted();
  expect(await refusal(put)).toMatchObject({ status: 412, code: 'PreconditionFailed' });
  const removed = aks.agentPools.delete(group, cluster, 'theirs', { ifMatch: 'another' }).submitted();
  expect(await refusal(removed)).toMatchObject({ status: 412, code: 'PreconditionFailed' });
  const { eTag = '', vmSize } = await aks.agentPools.get(group, cluster, 'theirs');
  const change = (ifMatch: string) =>
    aks.agentPools.createOrUpdate(
      group,
      cluster,
      'theirs',
      { vmSize: vmSize ?? '', nodeLabels: { a: 'b' } },
      { ifMatch },
    );
  expect(await refusal(change('another').submitted())).toMatchObject({ status: 412 });
  await change(eTag).submitted();
  await advance(1);
  await aks.agentPools.createOrUpdate(group, cluster, 'ours', gpuPool, { ifNoneMatch: '*' }).submitted();
  await advance(1);
  expect(azure.living).toBe(2);
});

test('an absent pool is deleted with nothing to do', async () => {
  const { aks } = await standIn();
  await aks.agentPools.delete(group, cluster, 'none');
});

test('one operation at a time runs in a cluster, whoever began it', async () => {
  const { aks, advance, azure } = await standIn({ settings: { createSeconds: 10 } });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  const second = () => aks.agentPools.createOrUpdate(group, cluster, 'two', gpuPool).submitted();
  expect(await refusal(second())).toMatchObject({
    status: 409,
    code: 'OperationNotAllowed',
    message: expect.stringContaining("there's an in progress create node pool operation"),
  });
  await advance(10);
  const upgrade = azure.beginOperation({ what: 'Upgrading' });
  expect(await refusal(second())).toMatchObject({
    status: 409,
    message: expect.stringContaining('Another operation (Upgrading) is in progress'),
  });
  expect((await aks.managedClusters.get(group, cluster)).provisioningState).toBe('Upgrading');
  upgrade.end();
  await second();
  expect(azure.living).toBe(2);
});

test('a delete cancels the create that it comes upon, and a second delete is taken like the first', async () => {
  const { aks, advance, azure } = await standIn({ settings: { createSeconds: 100, deleteSeconds: 10 } });
  const create = aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool);
  await create.submitted();
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await expect(create.poll()).rejects.toThrow(/cancel/i);
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await advance(10);
  expect(azure.ledger()).toMatchObject([{ runningAt: null, whyGone: 'deleted' }]);
});

test('lists come in pages', async () => {
  const { aks, azure } = await standIn({ settings: { pageSize: 2 } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) azure.makeForeignPool(name);
  const names = (await all(aks.agentPools.list(group, cluster))).map(({ name }) => name);
  expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(azure.calls()['pools.list']).toBe(3);
});
