import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../shared/base/runtime.ts';
import { type AzureConnection, connectAzure } from '../../shared/platforms/azure/connection.ts';
import type { AgentPools, PoolWish } from '../../shared/providers/agent-pools/agent-pools.ts';
import { createAksAgentPools } from '../../shared/providers/aks/client/agent-pools.ts';
import { createArcAgentPools } from '../../shared/providers/arc/client/agent-pools.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { connectScripted, countingIssuer, type ScriptedArm, startScriptedArm, testOptions } from './scripted-arm.ts';

const cluster = { subscription: '11111111-2222-3333-4444-555555555555', resourceGroup: 'gpu', clusterName: 'east' };
const clusterPath = '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/gpu/providers';
const wish: PoolWish = {
  vmSize: 'Standard_NC6s_v3',
  labels: { 'kaito.sh/workspace': 'phi' },
  taints: ['sku=gpu:NoSchedule'],
  initializationTaints: [],
  tags: { 'poolwright-claim': 'a' },
  spot: false,
  zone: '',
};
const poolBody = (name: string, more: Record<string, string> = {}) => ({
  id: `${clusterPath}/x/agentPools/${name}`,
  name,
  properties: { provisioningState: 'Creating', vmSize: 'Standard_NC6s_v3', count: 1, ...more },
});

const kinds = {
  aks: {
    make: (connection: AzureConnection): AgentPools => createAksAgentPools(connection, cluster),
    path: `${clusterPath}/Microsoft.ContainerService/managedClusters/east/agentPools`,
  },
  arc: {
    make: (connection: AzureConnection): AgentPools => createArcAgentPools(connection, cluster),
    path: `${clusterPath}/Microsoft.Kubernetes/connectedClusters/east/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default/agentPools`,
  },
};

let arm: ScriptedArm;
let connection: AzureConnection;
const signal = new AbortController().signal;

beforeAll(async () => {
  arm = await startScriptedArm();
});
afterEach(() => {
  connection.close();
  arm.seen.length = 0;
  arm.script.length = 0;
});
afterAll(() => arm.close());

describe.each(Object.entries(kinds))('the client of %s', (kind, { make, path }) => {
  const open = (issuer = countingIssuer()): AgentPools => {
    connection = connectScripted(arm, { issuer });
    return make(connection);
  };

  it('returns from a put at once, with the operation to ask and the pause', async () => {
    const url = `${arm.endpoint}/subscriptions/s/providers/x/operations/1?api-version=2024-01-01`;
    arm.script.push({
      status: 201,
      headers: { 'azure-asyncoperation': url, location: `${arm.endpoint}/elsewhere`, 'retry-after': '7' },
      body: poolBody('a'),
    });
    const begun = await open().put('a', wish, { ifAbsent: true }, signal);
    expect(begun).toEqual({
      ok: true,
      value: {
        operation: { url, by: 'azure-async-operation' },
        retryAfterSeconds: 7,
        pool: expect.objectContaining({ name: 'a', provisioningState: 'Creating' }),
      },
    });
    expect(arm.seen).toHaveLength(1);
    const [request] = arm.seen;
    expect(request?.method).toBe('PUT');
    expect(request?.path.split('?')[0]).toBe(`${path}/a`);
    expect(request?.path).toContain('api-version=');
    expect(request?.headers.authorization).toBe('Bearer token-1');
    expect(request?.headers['user-agent']).toMatch(/^poolwright\/\d/);
    expect(request?.headers['if-none-match']).toBe(kind === 'aks' ? '*' : undefined);
    const body = request?.body as { tags?: object; properties: { tags?: object } };
    expect(body.properties).toMatchObject({
      count: 1,
      vmSize: 'Standard_NC6s_v3',
      osType: 'Linux',
      nodeLabels: { 'kaito.sh/workspace': 'phi' },
      nodeTaints: ['sku=gpu:NoSchedule'],
    });
    expect(kind === 'aks' ? body.properties.tags : body.tags).toEqual({ 'poolwright-claim': 'a' });
    if (kind === 'aks') expect(body.properties).toMatchObject({ type: 'VirtualMachineScaleSets' });
  });

  it('names no operation when ARM leads to a foreign host, so that no token goes there', async () => {
    arm.script.push({
      status: 201,
      headers: { 'azure-asyncoperation': 'https://evil.example/operations/1' },
      body: poolBody('a'),
    });
    const begun = await open().put('a', wish, { ifAbsent: false }, signal);
    expect(begun.ok && begun.value.operation).toBeUndefined();
  });

  it('refuses to ask a foreign host about an operation', async () => {
    const pools = open();
    const status = await pools.operation({ url: 'https://evil.example/operations/1', by: 'location' }, signal);
    expect(status).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.stringContaining('evil.example') },
    });
    const broken = await pools.operation({ url: 'not a url', by: 'location' }, signal);
    expect(broken).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.stringContaining('not a URL') },
    });
    const page = await pools.list('https://evil.example/agentPools?skip=1', signal);
    expect(page).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  });

  it('calls a write whose connection broke outcome-unknown, and a read unavailable', async () => {
    const pools = open();
    arm.script.push({ break: true });
    expect(await pools.put('a', wish, { ifAbsent: true }, signal)).toMatchObject({
      error: { kind: 'outcome-unknown' },
    });
    arm.script.push({ break: true });
    expect(await pools.delete('a', {}, signal)).toMatchObject({ error: { kind: 'outcome-unknown' } });
    // A read is repeated once on a connection that may have been stale.
    arm.script.push({ break: true }, { break: true });
    expect(await pools.get('a', signal)).toMatchObject({ error: { kind: 'unavailable' } });
  });

  it('leaves open what became of a write that nobody answered in time', async () => {
    const stop = new AbortController();
    arm.script.push({ hang: () => stop.abort() });
    const begun = await open().put('a', wish, { ifAbsent: true }, stop.signal);
    expect(begun).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } });
  });

  it('knows that nothing was done where nobody could be reached or trusted', async () => {
    const never = await startScriptedArm();
    await never.close();
    connection = connectScripted(never);
    expect(await make(connection).put('a', wish, { ifAbsent: true }, signal)).toMatchObject({
      error: { kind: 'unavailable' },
    });
    connection.close();
    connection = connectScripted({ ...arm, ca: selfSigned('somebody else').cert });
    expect(await make(connection).put('a', wish, { ifAbsent: true }, signal)).toMatchObject({
      error: { kind: 'unavailable' },
    });
    expect(arm.seen).toHaveLength(0);
  });

  it('does not repeat a write that was answered badly', async () => {
    arm.script.push({ status: 503, body: { error: { code: 'ServerBusy', message: 'later' } } });
    const begun = await open().put('a', wish, { ifAbsent: true }, signal);
    expect(begun).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } });
    expect(arm.seen).toHaveLength(1);
  });

  it('fetches one new token when the old one is refused, and repeats even a write', async () => {
    const issuer = countingIssuer();
    arm.script.push({ status: 401, body: { error: { code: 'ExpiredAuthenticationToken', message: 'expired' } } });
    arm.script.push({ status: 201, body: poolBody('a') });
    const begun = await open(issuer).put('a', wish, { ifAbsent: true }, signal);
    expect(begun.ok).toBe(true);
    expect(arm.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(issuer.scopes[0]).toBe('https://management.azure.com/.default');
  });

  it('gives up after the second refusal', async () => {
    const refusal = { status: 401, body: { error: { code: 'InvalidAuthenticationToken', message: 'no' } } };
    arm.script.push(refusal, refusal);
    expect(await open().get('a', signal)).toMatchObject({ error: { kind: 'unauthorised' } });
    expect(arm.seen).toHaveLength(2);
  });

  it('sends nothing when there is no token, and says why', async () => {
    connection = connectScripted(arm, {
      issuer: { issue: async () => ({ ok: false, error: { kind: 'unauthorised', message: 'no identity here' } }) },
    });
    const begun = await make(connection).put('a', wish, { ifAbsent: true }, signal);
    expect(begun).toEqual({ ok: false, error: { kind: 'unauthorised', message: 'no identity here' } });
    expect(arm.seen).toHaveLength(0);
  });

  it('sends nothing once the caller has given up', async () => {
    const begun = await open().put('a', wish, { ifAbsent: true }, AbortSignal.abort());
    expect(begun).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    expect(arm.seen).toHaveLength(0);
  });

  it('reads lists page by page', async () => {
    const next = `${arm.endpoint}${path}?api-version=2024-01-01&$skiptoken=b`;
    arm.script.push({ status: 200, body: { value: [poolBody('a')], nextLink: next } });
    arm.script.push({ status: 200, body: { value: [poolBody('b')] } });
    const pools = open();
    const first = await pools.list(undefined, signal);
    expect(first).toMatchObject({ ok: true, value: { items: [{ name: 'a' }], next } });
    const second = await pools.list(next, signal);
    expect(second).toEqual({ ok: true, value: { items: [expect.objectContaining({ name: 'b' })] } });
    expect(arm.seen[1]?.path).toContain('$skiptoken=b');
  });

  it('does not take a list for complete when one of its pools makes no sense', async () => {
    arm.script.push({ status: 200, body: { value: [poolBody('a'), { name: 7 }] } });
    expect(await open().list(undefined, signal)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it.each([
    ['nonsense that calls itself JSON', '{"oops'],
    ['a page of a proxy', '<html>hello</html>'],
    ['nothing', ''],
    ['another thing', '{"value": 1}'],
  ])('takes %s as an answer that it does not understand', async (_, body) => {
    const pools = open();
    arm.script.push({ status: 200, body }, { status: 200, body }, { status: 200, body });
    expect(await pools.get('a', signal)).toMatchObject({ error: { kind: 'unavailable' } });
    expect(await pools.list(undefined, signal)).toMatchObject({ error: { kind: 'unavailable' } });
    expect(await pools.put('a', wish, { ifAbsent: true }, signal)).toMatchObject({
      error: { kind: 'outcome-unknown' },
    });
  });

  it('tells a pool that is not there from a cluster that is not there', async () => {
    const pools = open();
    arm.script.push({
      status: 404,
      body: { code: 'NotFound', details: null, message: 'Agent Pool not found', subcode: '' },
    });
    expect(await pools.get('a', signal)).toMatchObject({ error: { kind: 'not-found' } });
    const message =
      "The Resource 'Microsoft.ContainerService/managedClusters/east' under resource group 'gpu' was not found.";
    arm.script.push({ status: 404, body: { error: { code: 'ResourceNotFound', message } } });
    const noCluster = await pools.get('a', signal);
    expect(noCluster).toMatchObject({
      error: { kind: 'invalid', message: expect.stringContaining('AZURE_CLUSTER_NAME') },
    });
    arm.script.push({ status: 404, body: 'not here' });
    expect(await pools.get('a', signal)).toMatchObject({ error: { kind: 'unavailable' } });
  });

  it('believes a 404 that does not say what is missing only where the list bears it out', async () => {
    const pools = open();
    const vague = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'It could not be found.' } } };
    arm.script.push(vague, { status: 200, body: { value: [poolBody('b')] } });
    expect(await pools.get('a', signal)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    arm.script.push(vague, vague);
    expect(await pools.get('a', signal)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    arm.script.push(vague, { status: 503 }, { status: 503 });
    expect(await pools.get('a', signal)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    arm.script.splice(0);
    arm.script.push(vague, { status: 200, body: { value: [poolBody('a')] } });
    expect(await pools.get('a', signal)).toMatchObject({ ok: true, value: { name: 'a' } });
  });

  it('takes no pool for empty that does not say so', async () => {
    arm.script.push({ status: 200, body: { id: '/a', name: 'a', properties: { vmSize: 'Standard_D4s_v5' } } });
    expect(await open().get('a', signal)).toMatchObject({ ok: true, value: { count: 1 } });
  });

  it('does not take a list that is not there for an empty one', async () => {
    arm.script.push({ status: 404, body: { error: { code: 'ResourceNotFound', message: 'could not be found' } } });
    expect(await open().list(undefined, signal)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  });

  it('begins a delete, conditional where the API has that', async () => {
    arm.script.push({ status: 202, headers: { location: `${arm.endpoint}/operations/2`, 'retry-after': '3' } });
    const begun = await open().delete('a', { etag: 'e1' }, signal);
    expect(begun).toEqual({
      ok: true,
      value: { operation: { url: `${arm.endpoint}/operations/2`, by: 'location' }, retryAfterSeconds: 3 },
    });
    expect(arm.seen[0]?.headers['if-match']).toBe(kind === 'aks' ? 'e1' : undefined);
    expect(arm.seen).toHaveLength(1);
  });

  it('says not-found for a delete of what is gone', async () => {
    const pools = open();
    arm.script.push({ status: 204 });
    expect(await pools.delete('a', {}, signal)).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('asks about an operation once, in either style', async () => {
    const pools = open();
    const async = { url: `${arm.endpoint}/operations/1`, by: 'azure-async-operation' } as const;
    const location = { url: `${arm.endpoint}/operations/1`, by: 'location' } as const;
    arm.script.push({ status: 200, headers: { 'retry-after': '4' }, body: { status: 'InProgress' } });
    expect(await pools.operation(async, signal)).toEqual({
      ok: true,
      value: { state: 'running', retryAfterSeconds: 4 },
    });
    arm.script.push({ status: 200, body: { status: 'Succeeded' } });
    expect(await pools.operation(async, signal)).toEqual({ ok: true, value: { state: 'succeeded' } });
    arm.script.push({ status: 200, body: {} });
    expect(await pools.operation(async, signal)).toMatchObject({ error: { kind: 'unavailable' } });
    arm.script.push({ status: 202, body: '' });
    expect(await pools.operation(location, signal)).toEqual({ ok: true, value: { state: 'running' } });
    arm.script.push({ status: 204 });
    expect(await pools.operation(location, signal)).toEqual({ ok: true, value: { state: 'succeeded' } });
    arm.script.push({ status: 200, body: poolBody('a') });
    expect(await pools.operation(location, signal)).toMatchObject({ value: { state: 'running' } });
    arm.script.push({ status: 404, body: { error: { code: 'NotFound', message: 'gone' } } });
    expect(await pools.operation(async, signal)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    expect(arm.seen).toHaveLength(7);
  });
});

it('gives AKS all that a wish can hold', async () => {
  arm.script.push({ status: 201, body: poolBody('a', { eTag: 'e1', scaleSetPriority: 'Spot' }) });
  connection = connectScripted(arm);
  const begun = await createAksAgentPools(connection, cluster).put(
    'a',
    {
      ...wish,
      spot: true,
      zone: 'eastus-2',
      osDiskSizeGB: 120,
      osSku: 'AzureLinux',
      maxPods: 50,
      subnetId: '/subscriptions/s/subnet',
      fips: true,
      gpuDriver: 'None',
      kubelet: { cpuManagerPolicy: 'static', podMaxPids: 100 },
    },
    { ifAbsent: true },
    signal,
  );
  expect(begun).toMatchObject({ value: { pool: { etag: 'e1', spot: true } } });
  expect(arm.seen[0]?.body).toMatchObject({
    properties: {
      scaleSetPriority: 'Spot',
      scaleSetEvictionPolicy: 'Delete',
      spotMaxPrice: -1,
      availabilityZones: ['2'],
      osDiskSizeGB: 120,
      osSKU: 'AzureLinux',
      maxPods: 50,
      vnetSubnetID: '/subscriptions/s/subnet',
      enableFIPS: true,
      gpuProfile: { driver: 'None' },
      kubeletConfig: { cpuManagerPolicy: 'static', podMaxPids: 100 },
    },
  });
});

it('refuses kubelet settings that AKS would drop without a word', async () => {
  connection = connectScripted(arm);
  const kubelet = { cpuManagerPolcy: 'static' };
  const begun = await createAksAgentPools(connection, cluster).put(
    'a',
    { ...wish, kubelet },
    { ifAbsent: true },
    signal,
  );
  expect(begun).toMatchObject({
    error: { kind: 'invalid', message: expect.stringContaining('did you mean "cpuManagerPolicy"') },
  });
  expect(arm.seen).toHaveLength(0);
});

it.each([
  ['spot', { spot: true }],
  ['zone', { zone: '1' }],
  ['vnetSubnetID', { subnetId: 'x' }],
  ['kubelet', { kubelet: {} }],
])('refuses %s for Azure Local, which has no field for it', async (field, more) => {
  connection = connectScripted(arm);
  const begun = await createArcAgentPools(connection, cluster).put(
    'a',
    { ...wish, ...more },
    { ifAbsent: true },
    signal,
  );
  expect(begun).toMatchObject({ error: { kind: 'invalid', message: expect.stringContaining(field) } });
});

it('names the custom location of a pool on Azure Local', async () => {
  arm.script.push({ status: 201, body: { ...poolBody('a'), tags: { 'poolwright-claim': 'a' } } });
  connection = connectScripted(arm);
  const customLocation = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ExtendedLocation/customLocations/home';
  const pools = createArcAgentPools(connection, { ...cluster, customLocation });
  const begun = await pools.put('a', { ...wish, osSku: 'AzureLinux', osDiskSizeGB: 100 }, { ifAbsent: true }, signal);
  expect(begun).toMatchObject({ value: { pool: { tags: { 'poolwright-claim': 'a' } } } });
  expect(arm.seen[0]?.body).toMatchObject({
    extendedLocation: { type: 'CustomLocation', name: customLocation },
    properties: { osSKU: 'CBLMariner' },
  });
});

it('goes through the proxy of the environment, and tells its refusal from an answer of ARM', async () => {
  const asked: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const options = testOptions(arm);
  connection = connectAzure(
    { ...options, cloud: { ...options.cloud, armEndpoint: 'https://management.example' } },
    { clock: manualClock(), env: { HTTPS_PROXY: `http://127.0.0.1:${port}` }, issuer: countingIssuer() },
  );
  const begun = await createAksAgentPools(connection, cluster).put('a', wish, { ifAbsent: true }, signal);
  expect(begun).toMatchObject({ error: { kind: 'unavailable', message: expect.stringContaining('403') } });
  expect(asked).toEqual(['management.example:443']);
});
