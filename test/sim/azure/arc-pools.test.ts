import { expect, test } from 'vitest';
import { nodeShelf, providerIDOf, rawClient, standIn } from './stand-in.ts';

const version = 'api-version=2024-01-01';
const body = {
  properties: {
    count: 1,
    vmSize: 'Standard_NK6',
    osType: 'Linux',
    nodeLabels: { a: 'b' },
    nodeTaints: ['x=:NoSchedule'],
  },
  tags: { 'poolwright-claim-uid': 'uid-1' },
};

async function arcStandIn(options: Parameters<typeof standIn>[0] = {}) {
  const { azure, advance } = await standIn(options);
  const arm = rawClient(azure);
  const cluster = azure.clusters.find(({ kind }) => kind === 'arc');
  if (cluster === undefined) throw new Error('there is no Arc cluster');
  const instance = `${cluster.id}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default`;
  return { azure, advance, arm, cluster, instance, pools: `${instance}/agentPools` };
}

test('a pool of Arc comes and goes by operations, without etags', async () => {
  const shelf = nodeShelf();
  const { arm, pools, advance, cluster } = await arcStandIn({
    kubelet: shelf,
    settings: { createSeconds: 10, deleteSeconds: 5 },
  });
  const put = await arm('PUT', `${pools}/gpu1?${version}`, { body });
  expect(put).toMatchObject({ status: 201, body: { properties: { provisioningState: 'Creating' }, tags: body.tags } });
  expect([put.header('etag'), put.header('location')]).toEqual([undefined, undefined]);
  const operation = put.header('azure-asyncoperation') ?? '';
  expect((await arm('GET', operation)).body.status).toBe('InProgress');
  await advance(10);
  expect((await arm('GET', operation)).body).toMatchObject({ status: 'Succeeded', endTime: expect.any(String) });
  const pool = await arm('GET', `${pools}/gpu1?${version}`);
  expect(pool.body).toMatchObject({
    extendedLocation: { type: 'CustomLocation', name: cluster.customLocation },
    properties: {
      provisioningState: 'Succeeded',
      status: { currentState: 'Succeeded', readyReplicas: [{ count: 1 }] },
    },
  });
  const [node] = [...shelf.nodes.values()];
  expect(providerIDOf(node)).toMatch(/^moc:\/\/arc-demo-one-[0-9a-f]+-gpu1-md-[0-9a-f]+-[0-9a-f]+$/);
  expect(node).toMatchObject({
    metadata: {
      labels: { a: 'b', 'msft.microsoft/nodepool-name': expect.stringMatching(/^arc-demo-one-[0-9a-f]+-gpu1$/) },
    },
  });

  const deleted = await arm('DELETE', `${pools}/gpu1?${version}`);
  expect([deleted.status, deleted.header('azure-asyncoperation')]).toEqual([202, undefined]);
  const location = deleted.header('location') ?? '';
  expect((await arm('GET', location)).status).toBe(202);
  await advance(5);
  expect((await arm('GET', location)).status).toBe(204);
  expect(await arm('GET', `${pools}/gpu1?${version}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'ResourceNotFound', message: expect.stringContaining('could not be found') } },
  });
  expect((await arm('DELETE', `${pools}/gpu1?${version}`)).status).toBe(204);
  expect(shelf.nodes.size).toBe(0);
});

test('several pools of Arc are made at once, but one pool has one operation', async () => {
  const { arm, pools, azure } = await arcStandIn({ settings: { createSeconds: 10 } });
  expect((await arm('PUT', `${pools}/gpu1?${version}`, { body })).status).toBe(201);
  expect((await arm('PUT', `${pools}/gpu2?${version}`, { body })).status).toBe(201);
  expect(await arm('PUT', `${pools}/gpu1?${version}`, { body })).toMatchObject({
    status: 409,
    body: { error: { code: 'Conflict' } },
  });
  expect((await arm('GET', `${pools}?${version}`)).body.value).toHaveLength(2);
  expect(azure.living).toBe(2);
});

test('a scale is a PUT with another count', async () => {
  const { arm, pools, advance, azure } = await arcStandIn({ settings: { createSeconds: 1, updateSeconds: 1 } });
  await arm('PUT', `${pools}/gpu1?${version}`, { body });
  await advance(1);
  const put = await arm('PUT', `${pools}/gpu1?${version}`, {
    body: { ...body, properties: { ...body.properties, count: 0 } },
  });
  expect(put).toMatchObject({ status: 200, body: { properties: { provisioningState: 'Updating', count: 0 } } });
  expect(azure.living).toBe(1);
});

test.each([
  [
    'a field that the API has not',
    { ...body, properties: { ...body.properties, osDiskSizeGB: 100 } },
    'InvalidRequestContent',
  ],
  ['an unknown size', { properties: { vmSize: 'Standard_Huge' } }, 'InvalidVMSize'],
  ['a taint that is none', { properties: { ...body.properties, nodeTaints: ['x'] } }, 'InvalidParameter'],
  [
    'another custom location',
    { ...body, extendedLocation: { type: 'CustomLocation', name: '/x' } },
    'InvalidExtendedLocation',
  ],
])('%s is refused', async (_, wrong, code) => {
  const { arm, pools } = await arcStandIn();
  expect(await arm('PUT', `${pools}/gpu1?${version}`, { body: wrong })).toMatchObject({
    status: 400,
    body: { error: { code } },
  });
});

test('names must have three to twelve letters and digits', async () => {
  const { arm, pools } = await arcStandIn();
  for (const name of ['ab', 'Abc', '1abc', 'a-bc', 'abcdefghijklm']) {
    expect((await arm('PUT', `${pools}/${name}?${version}`, { body })).status).toBe(400);
  }
});

test('the custom location tells sizes and versions, and the cluster gives out its kubeconfig by an operation', async () => {
  const { arm, cluster, instance } = await arcStandIn({
    clusters: [{ kind: 'arc', name: 'edge', kubeconfig: 'kind: Config' }],
  });
  const place = `${cluster.customLocation}/providers/Microsoft.HybridContainerService`;
  expect((await arm('GET', `${place}/skus/default?${version}`)).body).toMatchObject({
    properties: {
      values: expect.arrayContaining([
        expect.objectContaining({
          name: 'Standard_NK6',
          capabilities: expect.arrayContaining([
            { name: 'vCpu', value: '6' },
            { name: 'GpuCount', value: '1' },
          ]),
        }),
      ]),
    },
  });
  expect((await arm('GET', `${place}/kubernetesVersions/default?${version}`)).status).toBe(200);
  expect((await arm('GET', `${cluster.id}?${version}`)).body.extendedLocation).toMatchObject({
    name: cluster.customLocation,
  });
  const asked = await arm('POST', `${instance}/listUserKubeconfig?${version}`);
  expect(asked.status).toBe(202);
  const result = await arm('GET', asked.header('location') ?? '');
  expect(result.body).toMatchObject({
    properties: { kubeconfigs: [{ value: Buffer.from('kind: Config').toString('base64') }] },
  });
});

test('a connected cluster without a custom location has no pools', async () => {
  const { arm, cluster, instance, pools } = await arcStandIn({
    clusters: [{ kind: 'arc', name: 'plain', customLocation: null }],
  });
  expect((await arm('GET', `${cluster.id}?${version}`)).body.extendedLocation).toBeUndefined();
  expect((await arm('GET', `${instance}?${version}`)).status).toBe(404);
  expect(await arm('PUT', `${pools}/gpu1?${version}`, { body })).toMatchObject({
    status: 400,
    body: { error: { code: 'CustomLocationNotFound' } },
  });
});
