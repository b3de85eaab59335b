/** From a stand-in for Azure to an API server that believes its tokens. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { clusterOpeners } from '../../functions/hosts/common/cluster-access.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { type ConfigInput, resolveConfig } from '../../shared/config/load.ts';
import { namespaces } from '../../shared/kube/contract.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { type Azure, startAzure } from '../../sim/azure/start.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';

const { key, cert } = selfSigned('127.0.0.1');
const serverApp = '6dae42f8-4368-4678-94ff-3960e28e3630';

let azure: Azure;
let apiServer: https.Server;
let apiUrl: string;
/** What the API server was shown, and for whom tokens have to be. */
let shown: string[] = [];
let audience = serverApp;

const kubeconfig = (user: string): string => `
apiVersion: v1
kind: Config
current-context: east
contexts: [{ name: east, context: { cluster: east, user: me } }]
clusters: [{ name: east, cluster: { server: "${apiUrl}", certificate-authority-data: ${Buffer.from(cert).toString('base64')} } }]
users: [{ name: me, user: ${user} }]
`;
const exec = (server: string): string =>
  `{ exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: kubelogin, args: [get-token, --server-id, ${server}] } }`;

beforeAll(async () => {
  apiServer = https.createServer({ key, cert }, (request, response) => {
    const authorization = request.headers.authorization;
    shown.push(authorization ?? '');
    const checked = authorization === 'Bearer fixed' ? undefined : azure.checkToken(authorization);
    const good = checked === undefined || (checked.ok && checked.facts.audience === audience);
    response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' });
    const object = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kube-system', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    };
    const refusal = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 401,
      reason: 'Unauthorized',
      message: 'Unauthorized',
    };
    response.end(JSON.stringify(good ? object : refusal));
  });
  await new Promise<void>((resolve) => apiServer.listen(0, '127.0.0.1', resolve));
  apiUrl = `https://127.0.0.1:${(apiServer.address() as AddressInfo).port}`;
  azure = await startAzure({
    settings: { retryAfterSeconds: 0 },
    clusters: [
      { kind: 'aks', name: 'aks-east', kubeconfig: kubeconfig(exec(serverApp)) },
      { kind: 'aks', name: 'aks-own-app', kubeconfig: kubeconfig(exec('another-app')) },
      { kind: 'aks', name: 'aks-local', kubeconfig: kubeconfig('{ token: fixed }') },
      { kind: 'aks', name: 'aks-odd', kubeconfig: kubeconfig('{ tokenFile: /etc/passwd }') },
      { kind: 'aks', name: 'aks-none' },
      { kind: 'arc', name: 'arc-plant-one', kubeconfig: kubeconfig(exec(serverApp)) },
    ],
  });
});
beforeEach(() => {
  shown = [];
  audience = serverApp;
});
afterAll(async () => {
  apiServer.closeAllConnections();
  apiServer.close();
  await azure.close();
});

async function open(clusterName: string, more: Partial<NonNullable<ConfigInput['clusters']>[string]> = {}) {
  const type = clusterName.startsWith('arc') ? 'arc' : 'aks';
  const read = resolveConfig({
    clusters: { east: { access: type, azure: { clusterName }, ...more } },
    providers: {
      azure: {
        type,
        subscription: azure.subscription,
        resourceGroup: azure.clusters[0]?.resourceGroup ?? '',
        location: 'eastus',
        tenant: azure.tenant,
        credential: { type: 'client-secret', clientId: azure.clientId },
        cloud: { authorityHost: azure.authority, armEndpoint: azure.url, audience: 'https://management.azure.com' },
        certificateAuthority: azure.certificate,
      },
    },
  });
  if (!read.ok) throw new Error(read.text);
  const env = { AZURE_CLIENT_SECRET: azure.secret };
  const openers = await clusterOpeners({ config: read.config, clock: systemClock, log: collectingLog(), env });
  if (!openers.ok) throw new Error(openers.error.message);
  const api = openers.value.get('east')?.({
    name: 'east',
    clock: systemClock,
    log: collectingLog(),
    requestTimeoutMs: 60_000,
    fieldManager: 'poolwright',
  });
  if (api === undefined) throw new Error('there is no way');
  onTestFinished(() => api.close());
  return () => api.get(namespaces, { name: 'kube-system' });
}

describe('a cluster of AKS', () => {
  it('is found by ARM and reached by a token of Entra ID', async () => {
    const get = await open('aks-east');
    expect(await get()).toMatchObject({ ok: true, value: { metadata: { uid: 'u' } } });
    expect(await get()).toMatchObject({ ok: true });
    expect(azure.calls()['clusters.credentials']).toBe(1);
  });

  it('gets one new token when the old one is refused', async () => {
    const get = await open('aks-east');
    expect(await get()).toMatchObject({ ok: true });
    azure.revokeTokens();
    await new Promise((resolve) => setTimeout(resolve, 2));
    shown = [];
    expect(await get()).toMatchObject({ ok: true });
    expect(shown).toHaveLength(2);
    expect(shown[0]).not.toBe(shown[1]);
  });

  it('is believed when it names a server application of its own', async () => {
    audience = 'another-app';
    const get = await open('aks-own-app');
    expect(await get()).toMatchObject({ ok: true });
  });

  it('without Entra ID is reached by what its kubeconfig holds', async () => {
    const get = await open('aks-local');
    expect(await get()).toMatchObject({ ok: true });
    expect(shown).toEqual(['Bearer fixed']);
  });

  it('with its address beside it needs nothing of ARM', async () => {
    const before = azure.calls()['clusters.credentials'] ?? 0;
    const get = await open('aks-east', { server: apiUrl, certificateAuthority: cert });
    expect(await get()).toMatchObject({ ok: true });
    expect(azure.calls()['clusters.credentials'] ?? 0).toBe(before);
  });

  it('says why it is not reached, and never takes that for a missing object', async () => {
    const none = await (await open('aks-none'))();
    expect(none).toMatchObject({ error: { kind: 'unavailable', message: expect.stringContaining('cluster east') } });
    const wrong = await (await open('aks-unheard-of'))();
    expect(wrong).toMatchObject({
      error: { kind: 'unavailable', message: expect.stringContaining('AZURE_CLUSTER_NAME') },
    });
  });

  it('must not make us read our own files', async () => {
    const odd = await (await open('aks-odd'))();
    expect(odd).toMatchObject({ error: { kind: 'unavailable', message: expect.stringContaining('refers to files') } });
    expect(shown).toEqual([]);
  });
});

it('reaches a cluster of Azure Local, whose kubeconfig takes an operation', async () => {
  const get = await open('arc-plant-one');
  expect(await get()).toMatchObject({ ok: true, value: { metadata: { uid: 'u' } } });
});

it('says at the start what is missing', async () => {
  const providers = { azure: { type: 'aks' as const, subscription: azure.subscription, resourceGroup: 'g' } };
  const read = resolveConfig({ clusters: { east: { access: 'aks' } }, providers });
  if (!read.ok) throw new Error(read.text);
  const ways = await clusterOpeners({ config: read.config, clock: systemClock, log: collectingLog(), env: {} });
  expect(ways).toMatchObject({
    error: {
      kind: 'invalid',
      message: expect.stringContaining('clusters.east.access: options.clusterName: is missing'),
    },
  });
});
