import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type KeyAndCertificate, selfSigned } from '../../../sim/kit/self-signed.ts';
import { defined } from '../../base/defined.ts';
import { manualClock, systemClock } from '../../base/runtime.ts';
import { silentLog } from '../../observe/log/log.ts';
import { type ClusterConnection, connectCluster } from '../client/http.ts';
import { nodes } from '../contract.ts';
import { type AccessConfig, configuredAccess } from './configured-access.ts';

let server: KeyAndCertificate;
let user: KeyAndCertificate;
let folder = '';
beforeAll(() => {
  server = selfSigned('server');
  user = selfSigned('user');
  folder = mkdtempSync(join(tmpdir(), 'poolwright-access-'));
});

const clock = manualClock();
const access = (config: AccessConfig, env: Record<string, string> = {}, serviceAccountFolder?: string) =>
  configuredAccess(config, { env, clock, ...defined({ serviceAccountFolder }) });

let count = 0;
function write(text: string): string {
  const file = join(folder, `file-${++count}`);
  writeFileSync(file, text);
  return file;
}

/** An API server that knows its users by certificate or token, and says whom it saw. */
async function start(known: { ca?: string; token?: string }, host = '127.0.0.1') {
  const seen: string[] = [];
  const listener = https.createServer(
    { ...server, ca: known.ca, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const { authorized } = socket;
      const shown = socket.getPeerCertificate().subject?.CN;
      const isKnown = authorized || request.headers.authorization === `Bearer ${known.token}`;
      const groups = request.headers['impersonate-group'];
      seen.push(
        [isKnown, shown, request.headers['impersonate-user'], groups].filter((one) => one !== undefined).join(' '),
      );
      const object = { kind: 'Node', metadata: { name: 'n', uid: 'u', resourceVersion: '1' } };
      response
        .writeHead(isKnown ? 200 : 401)
        .end(JSON.stringify(isKnown ? object : { kind: 'Status', message: 'Unauthorized' }));
    },
  );
  await new Promise<void>((resolve) => listener.listen(0, host, resolve));
  onTestFinished(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return { url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`, seen };
}

async function connect(config: AccessConfig, more: Partial<ClusterConnection> = {}, env: Record<string, string> = {}) {
  const way = await access(config, env, join(folder, 'account'));
  if (!way.ok) throw new Error(way.error.message);
  const api = connectCluster({
    ...way.value.access,
    name: 'test',
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 10_000,
    fieldManager: 'test',
    ...more,
  });
  onTestFinished(() => api.close());
  return api;
}

describe('a way in', () => {
  it('by URL with an authority in a file and a token works', async () => {
    const { url } = await start({ token: 't0p' });
    const api = await connect({ server: url, certificateAuthority: write(server.cert), token: 't0p' });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
  });

  it('by URL with PEM texts works', async () => {
    const { url } = await start({ ca: user.cert });
    const api = await connect({
      server: url,
      certificateAuthority: server.cert,
      clientCertificate: user.cert,
      clientKey: user.key,
    });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
  });

  it('by kubeconfig with impersonation says who acts as whom', async () => {
    const { url, seen } = await start({ token: 't0p' });
    const kubeconfig = write(
      JSON.stringify({
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        clusters: [
          {
            name: 'c',
            cluster: { server: url, 'certificate-authority-data': Buffer.from(server.cert).toString('base64') },
          },
        ],
        users: [{ name: 'u', user: { token: 't0p', as: 'deputy', 'as-groups': ['one', 'two'] } }],
      }),
    );
    const api = await connect({ kubeconfig: 'default' }, {}, { KUBECONFIG: kubeconfig });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    expect(seen).toEqual(['true deputy one, two']);
  });

  it('from within a pod uses the mounted account, and its renewed token', async () => {
    const known = { token: 'first' };
    const { url } = await start(known);
    const account = join(folder, 'account');
    mkdirSync(account, { recursive: true });
    writeFileSync(join(account, 'ca.crt'), server.cert);
    writeFileSync(join(account, 'token'), 'first\n');
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: new URL(url).port };
    const api = await connect({ inCluster: true }, {}, env);
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    known.token = 'second';
    writeFileSync(join(account, 'token'), 'second\n');
    const both = await Promise.all([api.get(nodes, { name: 'n' }), api.get(nodes, { name: 'n' })]);
    expect(both).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it('takes a renewed client certificate once certificate and key fit, with new connections', async () => {
    const renewed = selfSigned('renewed');
    const known = { ca: `${user.cert}${renewed.cert}` };
    const { url, seen } = await start(known);
    const [certificateAuthority, clientCertificate, clientKey] = [server.cert, write(user.cert), write(user.key)];
    const minutes = manualClock(systemClock.now());
    const api = await connect({ server: url, certificateAuthority, clientCertificate, clientKey }, { clock: minutes });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    // Half of the renewal: the old pair goes on.
    renameSync(write(renewed.cert), clientCertificate);
    minutes.advance(61_000);
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    renameSync(write(renewed.key), clientKey);
    minutes.advance(61_000);
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    expect(seen).toEqual(['true user', 'true user', 'true renewed']);
  });

  it('checks the name on the certificate, or another that it is told', async () => {
    const { url } = await start({ token: 't0p' });
    const wrong = await connect({
      server: url,
      certificateAuthority: server.cert,
      token: 't0p',
      tlsServerName: 'kube',
    });
    expect(await wrong.get(nodes, { name: 'n' })).toMatchObject({
      ok: false,
      error: { kind: 'unavailable', message: expect.stringContaining('is for another name') },
    });
  });

  it('without a check of the certificate works only for those who say so', async () => {
    const { url } = await start({ token: 't0p' });
    const api = await connect({ server: url, token: 't0p', insecureSkipTlsVerify: true });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
  });

  it('goes through the proxy that the environment names, but not to this machine', async () => {
    const env = { HTTPS_PROXY: 'http://proxy:3128' };
    expect(await access({ server: 'https://kube.example' }, env)).toMatchObject({
      value: { access: { proxyUrl: 'http://proxy:3128' } },
    });
    expect(await access({ server: 'https://kube.example', proxyUrl: 'http://other:1' }, env)).toMatchObject({
      value: { access: { proxyUrl: 'http://other:1' } },
    });
    expect(await access({ server: 'https://127.0.0.1' }, env)).toEqual({
      ok: true,
      value: { access: { url: 'https://127.0.0.1' } },
    });
  });
});

describe('bad access is named', () => {
  it.each<[string, () => AccessConfig, Record<string, string>, RegExp]>([
    ['a kubeconfig that is none', () => ({ kubeconfig: write('- 1') }), {}, /^kubeconfig: .*is not a kubeconfig/],
    [
      'an authority that is none',
      () => ({ server: 'https://h', certificateAuthority: write('hunter2') }),
      {},
      /certificate authority is not a PEM certificate/,
    ],
    [
      'a file that is missing',
      () => ({ server: 'https://h', certificateAuthority: '/nowhere/ca.pem' }),
      {},
      /^certificateAuthority: \/nowhere\/ca\.pem cannot be read \(ENOENT\)/,
    ],
    [
      'a token file that is missing',
      () => ({ server: 'https://h', tokenFile: '/nowhere/token' }),
      {},
      /^tokenFile: the token file \/nowhere\/token cannot be read \(ENOENT\)/,
    ],
    [
      'a token file of a kubeconfig that is missing',
      () => ({
        kubeconfig: write(
          JSON.stringify({
            'current-context': 'c',
            contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
            clusters: [{ name: 'k', cluster: { server: 'https://h' } }],
            users: [{ name: 'u', user: { tokenFile: '/nowhere/token' } }],
          }),
        ),
      }),
      {},
      /^kubeconfig: the token file \/nowhere\/token cannot be read \(ENOENT\)/,
    ],
    [
      'a key of another certificate',
      () => ({ server: 'https://h', clientCertificate: user.cert, clientKey: server.key }),
      {},
      /client certificate of CN=user does not match its key/,
    ],
    [
      'a key that is none',
      () => ({ server: 'https://h', clientCertificate: user.cert, clientKey: write('hunter2') }),
      {},
      /client key is not a PEM key/,
    ],
    ['no pod around us', () => ({ inCluster: true }), {}, /^inCluster: .*does not run in a pod/],
    [
      'no service account',
      () => ({ inCluster: true }),
      { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' },
      /^inCluster: the service account in .* cannot be read \(ENOENT\)/,
    ],
    [
      'a proxy of another sort',
      () => ({ server: 'https://kube.example' }),
      { HTTPS_PROXY: 'socks5://u:hunter2@p' },
      /proxy from the environment uses socks5:/,
    ],
  ])('%s', async (_name, config, env, expected) => {
    const result = await access(config(), env, join(folder, 'no-account'));
    expect(result).toMatchObject({ ok: false, error: { kind: 'invalid', message: expect.stringMatching(expected) } });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('an empty token file, which somebody may yet fill', async () => {
    expect(await access({ server: 'https://h', tokenFile: write('\n') })).toMatchObject({
      ok: true,
      value: {
        problem: {
          path: 'tokenFile',
          message: expect.stringMatching(/^the token file .* is empty; put a token into it$/),
        },
      },
    });
  });

  it('an expired certificate, since when it is; it is no mistake, because it may be renewed', async () => {
    const old = selfSigned('old-admin', { from: Date.UTC(2020, 0), to: Date.UTC(2025, 11, 31, 23, 59) });
    expect(await access({ server: 'https://h', clientCertificate: old.cert, clientKey: old.key })).toMatchObject({
      ok: true,
      value: {
        problem: {
          path: 'clientCertificate',
          message: 'the client certificate of CN=old-admin expired on 2025-12-31 23:59 UTC; get a new one',
        },
      },
    });
  });

  it('an expired certificate, when the server only says that it does not know us', async () => {
    const old = selfSigned('old-admin', { from: Date.UTC(2020, 0), to: Date.UTC(2025, 11, 31, 23, 59) });
    const { url } = await start({ ca: old.cert });
    const api = await connect({
      server: url,
      certificateAuthority: server.cert,
      clientCertificate: old.cert,
      clientKey: old.key,
    });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({
      ok: false,
      error: { kind: 'unauthorised', message: expect.stringContaining('expired on 2025-12-31') },
    });
  });

  it('an authority that does not fit the server', async () => {
    const { url } = await start({});
    const api = await connect({ server: url, certificateAuthority: user.cert });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({
      ok: false,
      error: {
        kind: 'unavailable',
        message: expect.stringContaining('not issued by the configured certificate authority'),
      },
    });
  });
});
