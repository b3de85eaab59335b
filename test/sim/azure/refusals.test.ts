import { expect, test } from 'vitest';
import { aksClient, gpuPool, rawClient, refusal, standIn } from './stand-in.ts';

const group = 'poolwright';
const cluster = 'aks-demo';

test.each(['Upper', '1digit', 'has-hyphen', 'thirteenchars'])('the pool name %s is refused', async (name) => {
  const { aks } = await standIn();
  const put = aks.agentPools.createOrUpdate(group, cluster, name, gpuPool).submitted();
  expect(await refusal(put)).toMatchObject({
    status: 400,
    code: 'InvalidParameter',
    message: expect.stringContaining('regex'),
  });
});

test.each([
  ['an unknown size', { vmSize: 'Standard_Huge' }, 'BadRequest', /VM size of Standard_Huge is not allowed/],
  ['a size that the subscription may not have', { vmSize: 'Standard_NV36ads_A10_v5' }, 'BadRequest', /not allowed/],
  ['no size', { vmSize: undefined }, 'InvalidParameter', /vmSize/],
  ['a zone that the size is not in', { availabilityZones: ['3'] }, 'AvailabilityZoneNotSupported', /'3'/],
  [
    'spot for a size that is never spot',
    { vmSize: 'Standard_B2s', scaleSetPriority: 'Spot' },
    'BadRequest',
    /LowPriorityCapable/,
  ],
  ['a taint that is none', { nodeTaints: ['x'] }, 'InvalidParameter', /key=value:Effect/],
  ['a tag with a slash', { tags: { 'a/b': 'c' } }, 'InvalidTagNameCharacters', /a\/b/],
  ['too few pods', { maxPods: 1 }, 'UnmarshalError', /properties\.maxPods/],
])('%s is refused', async (_, change, code, text) => {
  const { aks, azure } = await standIn();
  const put = aks.agentPools
    .createOrUpdate(group, cluster, 'one', { ...gpuPool, ...change } as typeof gpuPool)
    .submitted();
  expect(await refusal(put)).toMatchObject({ status: 400, code, message: expect.stringMatching(text) });
  expect(azure.ledger()).toEqual([]);
});

test('a field that AKS has not is refused, and one that only AKS writes is looked past', async () => {
  const { azure } = await standIn();
  const arm = rawClient(azure);
  const path = `${azure.clusters[0]?.id}/agentPools/one?api-version=2026-06-01`;
  const put = (properties: object) =>
    arm('PUT', path, { body: { properties: { vmSize: 'Standard_D2s_v5', ...properties } } });
  expect(await put({ osDiskSizeGb: 30 })).toMatchObject({ status: 400, body: { code: 'UnmarshalError', subcode: '' } });
  expect(await put({ provisioningState: 'Failed', nodeImageVersion: 'x', eTag: 'y' })).toMatchObject({
    status: 201,
    body: { properties: { provisioningState: 'Creating', nodeImageVersion: expect.stringContaining('Ubuntu') } },
  });
});

test('what a pool is made of does not change', async () => {
  const { aks, advance } = await standIn({ settings: { createSeconds: 1, updateSeconds: 1 } });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', gpuPool).submitted();
  await advance(1);
  const other = aks.agentPools
    .createOrUpdate(group, cluster, 'one', { ...gpuPool, vmSize: 'Standard_D2s_v5' })
    .submitted();
  expect(await refusal(other)).toMatchObject({
    status: 400,
    code: 'PropertyChangeNotAllowed',
    message: "Changing property 'properties.vmSize' is not allowed.",
  });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', { ...gpuPool, nodeLabels: { a: 'b' } }).submitted();
  expect((await aks.agentPools.get(group, cluster, 'one')).provisioningState).toBe('Updating');
  await advance(1);
  expect(await aks.agentPools.get(group, cluster, 'one')).toMatchObject({
    provisioningState: 'Succeeded',
    nodeLabels: { a: 'b' },
  });
});

test('a cluster, a group or a subscription that is not there is named', async () => {
  const { aks, azure } = await standIn();
  const get = (names: [string, string], client = aks) => refusal(client.agentPools.get(...names, 'one'));
  expect(await get([group, 'other'])).toMatchObject({
    status: 404,
    code: 'ResourceNotFound',
    message: expect.stringContaining('managedClusters/other'),
  });
  expect(await get(['other', cluster])).toMatchObject({
    status: 404,
    code: 'ResourceGroupNotFound',
    message: expect.stringContaining("'other'"),
  });
  const elsewhere = rawClient(azure);
  const path =
    '/subscriptions/0/resourceGroups/poolwright/providers/Microsoft.ContainerService/managedClusters/x?api-version=2026-06-01';
  expect(await elsewhere('GET', path)).toMatchObject({
    status: 404,
    body: { error: { code: 'SubscriptionNotFound' } },
  });
});

test('every call must say its api-version', async () => {
  const { azure } = await standIn();
  const arm = rawClient(azure);
  const path = `${azure.clusters[0]?.id}/agentPools`;
  expect(await arm('GET', path)).toMatchObject({
    status: 400,
    body: { error: { code: 'MissingApiVersionParameter' } },
  });
  expect(await arm('GET', `${path}?api-version=new`)).toMatchObject({
    status: 400,
    body: { error: { code: 'InvalidApiVersionParameter' } },
  });
  expect(await arm('GET', '/subscriptions/x/nowhere?api-version=2026-06-01')).toMatchObject({ status: 404 });
});

test('names in paths are the same in any case', async () => {
  const { azure } = await standIn();
  azure.makeForeignPool('one');
  const path = `${azure.clusters[0]?.id}/agentPools/one`
    .replace('resourceGroups', 'resourcegroups')
    .replace('aks-demo', 'AKS-Demo');
  expect((await rawClient(azure)('GET', `${path}?api-version=2026-06-01`)).status).toBe(200);
});

test.each([
  ['of a family', { StandardNCADSA100v4Family: 24 }, {}, /exceeding approved StandardNCADSA100v4Family Cores quota/],
  ['of the region', { cores: 30 }, {}, /exceeding approved Total Regional Cores quota/],
  ['of spot', { lowPriorityCores: 24 }, { scaleSetPriority: 'Spot' }, /LowPriorityCores/],
])('the quota %s is counted in cores, and given back', async (_, quota, spot, text) => {
  const { aks, advance } = await standIn({ settings: { quota, createSeconds: 1, deleteSeconds: 1 } });
  const wish = { ...gpuPool, vmSize: 'Standard_NC24ads_A100_v4', ...spot };
  const put = (name: string) => aks.agentPools.createOrUpdate(group, cluster, name, wish).submitted();
  await put('one');
  await advance(1);
  expect(await refusal(put('two'))).toMatchObject({
    status: 409,
    code: 'OperationNotAllowed',
    message: expect.stringMatching(text),
  });
  await aks.agentPools.delete(group, cluster, 'one').submitted();
  await advance(1);
  await put('two');
});

test('a used-up quota may be told in the words of AKS, or only at the end of the operation', async () => {
  const quota = { standardNCSv3Family: 0 };
  const words = await standIn({ settings: { quota, quotaWords: 'aks' } });
  const put = (client: typeof words.aks) => client.agentPools.createOrUpdate(group, cluster, 'one', gpuPool);
  expect(await refusal(put(words.aks).submitted())).toMatchObject({
    status: 400,
    code: 'ErrCode_InsufficientVCPUQuota',
    message: expect.stringContaining('requested 12, remaining 0 for family standardNCSv3Family for region eastus'),
  });
  const later = await standIn({ settings: { quota, quotaAt: 'operation', createSeconds: 1 } });
  const poller = put(aksClient(later.azure));
  await poller.submitted();
  await later.advance(1);
  await expect(poller.poll()).rejects.toThrow(/Cores quota/);
});

test('a size that is restricted in a zone is not available there', async () => {
  const { aks } = await standIn();
  const wish = { vmSize: 'Standard_D64s_v5', availabilityZones: ['3'] };
  expect(await refusal(aks.agentPools.createOrUpdate(group, cluster, 'one', wish).submitted())).toMatchObject({
    status: 409,
    code: 'SkuNotAvailable',
  });
  await aks.agentPools.createOrUpdate(group, cluster, 'one', { ...wish, availabilityZones: ['1'] }).submitted();
});
