/** Every way into a cluster, tried on a real API server. */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/base/runtime.ts';
import { type AccessConfig, configuredAccess } from '../../shared/kube/access/configured-access.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type ClusterApi, configMaps, nodes } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { freshName, useKube } from './use-kube.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-access-'));
const kube = useKube();

async function connect(config: AccessConfig, env: Record<string, string> = {}): Promise<ClusterApi> {
  const way = await configuredAccess(config, { env, clock: systemClock, serviceAccountFolder: folder });
  if (!way.ok) throw new Error(way.error.message);
  const api = connectCluster({
    ...way.value.access,
    name: 'real',
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 30_000,
    fieldManager: 'poolwright',
  });
  onTestFinished(() => api.close());
  return api;
}

/** A service account that may do nothing, unless somebody gives it rights. */
async function account(): Promise<{ name: string; token: string }> {
  const name = freshName('account');
  const metadata = { name, namespace: 'default' };
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  return { name, token: await kube.tokenFor(metadata) };
}

const ca = kube.ca === undefined ? {} : { certificateAuthority: kube.ca };

function kubeconfig(user: object): string {
  const file = join(folder, freshName('config'));
  const cluster = {
    server: kube.url,
    ...(kube.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(kube.ca).toString('base64') }),
  };
  const config = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

it('the administrator by kubeconfig may list nodes', async () => {
  const api = await connect({ kubeconfig: kube.kubeconfig });
  expect(await api.list(nodes)).toMatchObject({ ok: true });
});

it('a token without rights is told which verb on which resource it lacks', async () => {
  const { name, token } = await account();
  const api = await connect({ server: kube.url, ...ca, token });
  expect(await api.list(nodes)).toMatchObject({
    ok: false,
    error: {
      kind: 'unauthorised',
      message: expect.stringMatching(
        new RegExp(`${name}" cannot list resource "nodes" in API group "" at the cluster`),
      ),
    },
  });
});

it('a token that the server does not know is unauthorised', async () => {
  const api = await connect({ server: kube.url, ...ca, token: 'hunter2' });
  const result = await api.list(nodes);
  expect(result).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
  expect(JSON.stringify(result)).not.toContain('hunter2');
});

it('a command gets the token, once, and the server takes it', async () => {
  const { name, token } = await account();
  const command = join(folder, 'login');
  const status = { token, expirationTimestamp: '2099-01-01T00:00:00Z' };
  const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
  writeFileSync(command, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
  chmodSync(command, 0o755);
  const api = await connect({
    kubeconfig: kubeconfig({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' },
    }),
  });
  expect(await api.list(nodes)).toMatchObject({ error: { message: expect.stringContaining(name) } });
});

it('an administrator who acts as another has the rights of that one', async () => {
  const { token, cert, key } = kube.access;
  const who =
    cert === undefined || key === undefined
      ? { token }
      : { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) };
  const api = await connect({ kubeconfig: kubeconfig({ ...who, as: 'deputy', 'as-groups': ['crew'] }) });
  expect(await api.list(nodes)).toMatchObject({ error: { message: expect.stringContaining('User "deputy"') } });
});

it('a pod finds its cluster by its environment and its mounted account', async () => {
  const { name, token } = await account();
  writeFileSync(join(folder, 'ca.crt'), kube.ca ?? '');
  writeFileSync(join(folder, 'token'), token);
  const { hostname, port } = new URL(kube.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port || '443' };
  const api = await connect({ inCluster: true }, env);
  expect(await api.list(nodes)).toMatchObject({ error: { message: expect.stringContaining(name) } });
});

it('requests and watches go through a proxy', async () => {
  let tunnels = 0;
  const proxy = http.createServer();
  proxy.on('connect', (request, client) => {
    tunnels += 1;
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = net.connect(Number(port), host, () => void client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const api = await connect({ kubeconfig: kube.kubeconfig, proxyUrl });
  const name = freshName('map');
  const listed = await api.list(configMaps, { namespace: 'default' });
  const resourceVersion = listed.ok ? listed.value.resourceVersion : '';
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = api.watch(
    configMaps,
    { resourceVersion, namespace: 'default', fieldSelector: `metadata.name=${name}` },
    (event) => {
      seen.push(event.type);
      stop.abort();
    },
    stop.signal,
  );
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
  expect(await api.apply(configMaps, object)).toMatchObject({ ok: true });
  await watching;
  expect(seen).toEqual(['added']);
  expect(tunnels).toBe(2);
});

it('an authority of somebody else is not trusted', async () => {
  const { selfSigned } = await import('../../sim/kit/self-signed.ts');
  const api = await connect({ server: kube.url, certificateAuthority: selfSigned('other').cert, token: 'hunter2' });
  expect(await api.list(nodes)).toMatchObject({
    ok: false,
    error: { kind: 'unavailable', message: expect.stringContaining('certificate authority') },
  });
});
