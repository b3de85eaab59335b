/** The faults of the simulated cloud, as clients of Azure meet them. */
import { expect, test } from 'vitest';
import { skuNotAvailable } from '../../../sim/azure/refusals.ts';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { all, gpuPool, nodeShelf, rawClient, refusal, type StandIn, standIn } from './stand-in.ts';

const group = 'poolwright';
const cluster = 'aks-demo';

const put = ({ aks }: Pick<StandIn, 'aks'>, name = 'one', change = {}) =>
  aks.agentPools.createOrUpdate(group, cluster, name, { ...gpuPool, ...change }).submitted();

test.each<[string, FaultRule['do'], { status: number; code: string }]>([
  ['throttled', { kind: 'throttle' }, { status: 429, code: 'TooManyRequests' }],
  ['in the way of another operation', { kind: 'conflict' }, { status: 409, code: 'OperationNotAllowed' }],
  ['sold out', { kind: 'sold-out' }, { status: 409, code: 'AllocationFailed' }],
  ['over its quota', { kind: 'quota' }, { status: 409, code: 'OperationNotAllowed' }],
  ['not signed in', { kind: 'unauthorised', status: 401 }, { status: 401, code: 'InvalidAuthenticationToken' }],
  ['not allowed', { kind: 'unauthorised' }, { status: 403, code: 'AuthorizationFailed' }],
  ['broken', { kind: 'error', status: 500 }, { status: 500, code: 'InternalServerError' }],
  ['away', { kind: 'error', status: 503 }, { status: 503, code: 'ServiceUnavailable' }],
  [
    'refused otherwise',
    { kind: 'refused', status: 409, ...skuNotAvailable('x', 'eastus') },
    { status: 409, code: 'SkuNotAvailable' },
  ],
])('a create that is %s does nothing, once', async (_, fault, expected) => {
  const world = await standIn();
  world.azure.setFaults([{ on: 'create', count: 1, do: fault }]);
  expect(await refusal(put(world))).toMatchObject(expected);
  expect(world.azure.living).toBe(0);
  await put(world);
  expect(world.azure.living).toBe(1);
});

test.each([
  [{ retryAfterSeconds: 7 }, ['7', undefined]],
  [{ retryAfterSeconds: 0.3 }, ['1', '300']],
  [{}, [undefined, undefined]],
])('a throttled call with %o says when to come back, or not', async (given, expected) => {
  const { azure } = await standIn();
  azure.setFaults([{ on: 'list', do: { kind: 'throttle', ...given } }]);
  const answer = await rawClient(azure)('GET', `${azure.clusters[0]?.id}/agentPools?api-version=2026-06-01`);
  expect([answer.header('retry-after'), answer.header('x-ms-retry-after-ms')]).toEqual(expected);
});

test('an answer can be lost after the pool was made, before, or long before', async () => {
  const world = await standIn();
  const { azure, advance } = world;
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'reset', effect: 'done' } }]);
  expect((await refusal(put(world))).code).toBe('ECONNRESET');
  expect(azure.living).toBe(1);
  await advance(10);
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'reset' } }]);
  expect((await refusal(put(world, 'two'))).code).toBe('ECONNRESET');
  expect(azure.living).toBe(1);
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'reset', effect: 'late', lateSeconds: 60 } }]);
  expect((await refusal(put(world, 'two'))).code).toBe('ECONNRESET');
  expect(azure.living).toBe(1);
  await advance(60);
  expect(azure.living).toBe(2);
});

test('a delete can be done although its answer is lost, now or later', async () => {
  const { azure, aks, advance } = await standIn({ settings: { deleteSeconds: 1 } });
  for (const name of ['one', 'two']) azure.makeForeignPool(name);
  const remove = (name: string) => refusal(aks.agentPools.delete(group, cluster, name).submitted());
  azure.setFaults([{ on: 'delete', do: { kind: 'reset', effect: 'done' } }]);
  await remove('one');
  await advance(1);
  expect(azure.ledger().map(({ goneAt }) => goneAt === null)).toEqual([false, true]);
  azure.setFaults([{ on: 'delete', do: { kind: 'reset', effect: 'late', lateSeconds: 30 } }]);
  await remove('two');
  await advance(29);
  expect(azure.living).toBe(1);
  await advance(2);
  expect(azure.living).toBe(0);
});

test.each([
  ['never-registers', 0, []],
  ['never-ready', 1, ['False']],
] as const)('a machine that %s keeps its pool succeeded', async (kind, count, ready) => {
  const shelf = nodeShelf();
  const world = await standIn({ kubelet: shelf, settings: { createSeconds: 1 } });
  world.azure.setFaults([{ on: 'create', do: { kind } }]);
  await put(world);
  await world.advance(1);
  await world.advance(3600);
  expect(shelf.nodes.size).toBe(count);
  const conditions = [...shelf.nodes.values()].map((node) => node.status as { conditions: { status: string }[] });
  expect(conditions.map((status) => status.conditions[0]?.status)).toEqual(ready);
  expect(world.azure.ledger()).toMatchObject([{ state: 'Succeeded' }]);
});

test('a call can stay without an answer', async () => {
  const { azure, aks } = await standIn();
  azure.setFaults([{ on: 'get', do: { kind: 'timeout' } }]);
  const controller = new AbortController();
  const asked = refusal(aks.agentPools.get(group, cluster, 'one', { abortSignal: controller.signal }));
  await azure.held(1);
  controller.abort();
  expect((await asked).message).toMatch(/aborted/i);
});

test('a success can be no JSON', async () => {
  const { azure } = await standIn();
  azure.setFaults([{ on: 'list', do: { kind: 'garbled' } }]);
  const answer = await rawClient(azure)('GET', `${azure.clusters[0]?.id}/agentPools?api-version=2026-06-01`);
  expect([answer.status, answer.header('content-type'), answer.body]).toEqual([200, 'text/html', {}]);
});

test('lists can lag behind, and single pools never do', async () => {
  const world = await standIn({ settings: { createSeconds: 1 } });
  const { azure, aks, advance } = world;
  azure.setFaults([{ on: 'list', do: { kind: 'lag', seconds: 30 } }]);
  const listed = async () =>
    (await all(aks.agentPools.list(group, cluster))).map(
      ({ name, provisioningState }) => `${name} ${provisioningState}`,
    );
  await put(world);
  await advance(1);
  expect((await aks.agentPools.get(group, cluster, 'one')).provisioningState).toBe('Succeeded');
  expect(await listed()).toEqual([]);
  await advance(29.5);
  expect(await listed()).toEqual(['one Creating']);
  await advance(1);
  expect(await listed()).toEqual(['one Succeeded']);
});

test('a fault strikes the offering and the claim that it is for', async () => {
  const world = await standIn({ clusters: [{ kind: 'aks', name: cluster, operationsAtOnce: null }] });
  world.azure.setFaults([
    {
      on: 'create',
      offering: { instanceType: 'Standard_NC6s_v3', zone: 'eastus-1', capacityType: 'spot' },
      do: { kind: 'sold-out' },
    },
    { on: 'create', claim: 'uid-9', do: { kind: 'throttle' } },
  ]);
  const spot = { vmSize: 'Standard_NC6s_v3', scaleSetPriority: 'Spot', availabilityZones: ['1'] };
  expect(await refusal(put(world, 'a', spot))).toMatchObject({ code: 'ZonalAllocationFailed' });
  await put(world, 'b', { ...spot, availabilityZones: ['2'] });
  await put(world, 'c', { ...spot, scaleSetPriority: 'Regular' });
  expect(await refusal(put(world, 'd', { tags: { 'poolwright-claim-uid': 'uid-9' } }))).toMatchObject({ status: 429 });
});

test('a sold-out size may be told only at the end of the operation', async () => {
  const world = await standIn({ settings: { soldOutAt: 'operation', createSeconds: 5 } });
  world.azure.setFaults([{ on: 'create', do: { kind: 'sold-out' } }]);
  const poller = world.aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool);
  await poller.submitted();
  await world.advance(5);
  await expect(poller.poll()).rejects.toThrow(/sufficient capacity/);
});

test('a pool vanishes, and a spot machine is taken back while its pool stays', async () => {
  const shelf = nodeShelf();
  const world = await standIn({ kubelet: shelf, settings: { createSeconds: 1 } });
  const { azure, aks, advance } = world;
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'vanish', afterSeconds: 10 } }]);
  await put(world);
  await advance(1);
  expect(shelf.nodes.size).toBe(1);
  await advance(9);
  expect(azure.ledger()).toMatchObject([{ whyGone: 'vanished' }]);
  expect(shelf.nodes.size).toBe(0);
  azure.setFaults([{ on: 'create', count: 1, do: { kind: 'interrupt', afterSeconds: 10, noticeSeconds: 30 } }]);
  await put(world, 'two', { scaleSetPriority: 'Spot' });
  await advance(1);
  expect(shelf.nodes.size).toBe(1);
  await advance(10);
  expect([...shelf.nodes.values()][0]).toMatchObject({
    status: {
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'PreemptionScheduled', status: 'True' })]),
    },
  });
  // Whatever its kubelet was about is over half a second later.
  await advance(30);
  await advance(0.5);
  expect(shelf.nodes.size).toBe(0);
  expect(await aks.agentPools.get(group, cluster, 'two')).toMatchObject({ provisioningState: 'Succeeded', count: 0 });
});

test('faults and the ledger are to be had over plain http', async () => {
  const world = await standIn();
  const { azure } = world;
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(
      `${azure.control}${path}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    );
    return { status: answer.status, body: (await answer.json()) as { [key: string]: unknown } };
  };
  expect(await ask('/faults', [{ on: 'delete', do: { kind: 'reset' } }])).toEqual({ status: 200, body: { rules: 1 } });
  expect((await ask('/faults', [{ on: 'delete', do: { kind: 'rest' } }])).status).toBe(400);
  await put(world);
  expect((await ask('/ledger')).body).toMatchObject({ items: [{ id: 'one', seq: 1, provider: 'aks', cluster }] });
  expect((await ask('/ledger/overlaps')).body).toEqual({ items: [] });
  expect((await ask('/stats')).body).toMatchObject({ living: 1, calls: { 'pools.put': 1 } });
  expect((await ask('/control/foreign-pools', { cluster, name: 'theirs' })).status).toBe(201);
  const begun = await ask('/control/operations', { cluster, what: 'Upgrading', seconds: 5 });
  expect(begun.status).toBe(201);
  const end = () => fetch(`${azure.control}/control/operations/${begun.body.id}`, { method: 'DELETE' });
  expect((await end()).status).toBe(200);
  expect((await end()).status).toBe(404);
  expect((await ask('/control/foreign-pools', { cluster, name: 'theirs' })).status).toBe(404);
  expect((await ask('/control/vanish', { cluster, name: 'theirs' })).status).toBe(202);
  expect((await ask('/control/vanish', { cluster, name: 'theirs' })).status).toBe(404);
  expect((await ask('/subscriptions/x')).status).toBe(404);
});
