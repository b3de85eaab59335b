import { expect, test } from 'vitest';
import { allocationFailed, overconstrained } from '../../../sim/azure/refusals.ts';
import { gpuPool, nodeShelf, rawClient, refusal, standIn } from './stand-in.ts';

const group = 'poolwright';
const cluster = 'aks-demo';
const version = 'api-version=2026-06-01';

test('an operation that fails leaves its pool behind, which says why', async () => {
  const { aks, advance, azure } = await standIn({ settings: { createSeconds: 5 } });
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'operation-fails', ...allocationFailed() } }]);
  const poller = aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool);
  await poller.submitted();
  await advance(5);
  await expect(poller.poll()).rejects.toThrow(/sufficient capacity/);
  expect(await aks.agentPools.get(group, cluster, 'one')).toMatchObject({
    provisioningState: 'Failed',
    status: { provisioningError: { code: 'AllocationFailed' } },
  });
  expect(azure.ledger()).toMatchObject([{ state: 'Failed', goneAt: null, runningAt: null }]);
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await advance(1);
  expect(azure.living).toBe(0);
});

test('the reason of a failure may be hidden in the details', async () => {
  const { advance, azure } = await standIn({ settings: { createSeconds: 5, operationErrors: 'nested' } });
  azure.setFaults([{ on: 'create', do: { kind: 'operation-fails', ...overconstrained() } }]);
  const arm = rawClient(azure);
  const put = await arm('PUT', `${azure.clusters[0]?.id}/agentPools/one?${version}`, {
    body: { properties: { vmSize: 'Standard_D2s_v5' } },
  });
  await advance(5);
  expect((await arm('GET', put.header('azure-asyncoperation') ?? '')).body).toMatchObject({
    status: 'Failed',
    error: { code: 'ReconcileVMSSAgentPoolFailed', details: [{ code: 'OverconstrainedAllocationRequest' }] },
  });
});

test('a pool that is stuck keeps its cluster busy until it is deleted', async () => {
  const { aks, advance, azure } = await standIn({ settings: { deleteSeconds: 1 } });
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'never-running' } }]);
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  await advance(86_400);
  expect((await aks.agentPools.get(group, cluster, 'one')).provisioningState).toBe('Creating');
  const other = () => aks.agentPools.createOrUpdate(group, cluster, 'two', gpuPool).submitted();
  expect(await refusal(other())).toMatchObject({ status: 409 });
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await advance(1);
  await other();
});

test('deletes may be refused while a create or a delete is under way', async () => {
  const { aks, advance } = await standIn({
    settings: { createSeconds: 5, deleteSeconds: 5, deleteDuringCreate: 'conflicts', deleteDuringDelete: 'conflicts' },
  });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  const remove = () => aks.agentPools.delete(group, cluster, 'one').submitted();
  expect(await refusal(remove())).toMatchObject({
    status: 409,
    message: expect.stringContaining('in progress create'),
  });
  await advance(5);
  await remove();
  expect(await refusal(remove())).toMatchObject({
    status: 409,
    message: expect.stringContaining('in progress delete'),
  });
});

test('a delete that fails leaves the pool, and can be tried again', async () => {
  const { aks, advance, azure } = await standIn({ settings: { createSeconds: 1, deleteSeconds: 1 } });
  azure.makeForeignPool('one');
  azure.setFaults([{ on: 'delete', count: 1, do: { kind: 'operation-fails', code: 'InUse', message: 'in use' } }]);
  const poller = aks.agentPools.delete(group, cluster, 'one');
  await poller.submitted();
  await advance(1);
  await expect(poller.poll()).rejects.toThrow(/in use/);
  expect((await aks.agentPools.get(group, cluster, 'one')).provisioningState).toBe('Failed');
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await advance(1);
  expect(azure.living).toBe(0);
});

test('writes and polls say when to ask again, also in milliseconds, and old operations are forgotten', async () => {
  const { advance, azure } = await standIn({
    settings: { createSeconds: 1, deleteSeconds: 1, retryAfterSeconds: 0.25, operationKeptSeconds: 60 },
  });
  const arm = rawClient(azure);
  const path = `${azure.clusters[0]?.id}/agentPools/one?${version}`;
  const put = await arm('PUT', path, { body: { properties: { vmSize: 'Standard_D2s_v5' } } });
  expect([put.status, put.header('retry-after'), put.header('x-ms-retry-after-ms')]).toEqual([201, '1', '250']);
  const operation = put.header('azure-asyncoperation') ?? '';
  const running = await arm('GET', operation);
  expect([running.body.status, running.header('x-ms-retry-after-ms')]).toEqual(['InProgress', '250']);
  await advance(1);
  expect((await arm('GET', operation)).header('retry-after')).toBeUndefined();
  const removed = await arm('DELETE', path);
  expect([removed.status, removed.header('azure-asyncoperation') !== undefined]).toEqual([202, true]);
  const location = removed.header('location') ?? '';
  expect((await arm('GET', location)).status).toBe(202);
  await advance(1);
  expect((await arm('GET', location)).status).toBe(204);
  await advance(61);
  expect(await arm('GET', operation)).toMatchObject({ status: 404, body: { error: { code: 'OperationNotFound' } } });
});

test('machines can be there before the operation is over', async () => {
  const shelf = nodeShelf();
  const { aks, advance } = await standIn({ kubelet: shelf, settings: { createSeconds: 30, machineLeadSeconds: 10 } });
  const poller = aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool);
  await poller.submitted();
  await advance(19);
  expect(shelf.nodes.size).toBe(0);
  await advance(1);
  expect(shelf.nodes.size).toBe(1);
  await poller.poll();
  expect(poller.isDone).toBe(false);
  await advance(10);
  expect(shelf.nodes.size).toBe(1);
});

test('the times of operations are summed up for whoever measures a queue against them', async () => {
  const { aks, advance, azure } = await standIn({ settings: { createSeconds: 3, deleteSeconds: 2 } });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  await advance(7);
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await advance(2);
  expect(azure.busyMs).toBe(5000);
  expect(azure.calls()).toEqual({ tokens: 1, 'pools.put': 1, 'pools.delete': 1 });
  expect(azure.armCalls()).toBe(2);
});
