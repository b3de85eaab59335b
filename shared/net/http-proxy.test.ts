import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type KeyAndCertificate, selfSigned } from '../../sim/kit/self-signed.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';
import { proxyFromEnvironment, proxyProblem } from './http-proxy.ts';

let server: KeyAndCertificate;
beforeAll(() => {
  server = selfSigned('server');
});

async function listen(listener: Server): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    listener.close();
    if (listener instanceof http.Server || listener instanceof https.Server) listener.closeAllConnections();
  });
  return (listener.address() as AddressInfo).port;
}

/** A proxy that opens tunnels for those who know its password, and remembers what it saw. */
async function startProxy(answer = 'HTTP/1.1 200 Connection established\r\n\r\n') {
  const seen: { target: string; authorization: string | undefined; bytes: string }[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, client, head) => {
    const one = { target: request.url ?? '', authorization: request.headers['proxy-authorization'], bytes: '' };
    seen.push(one);
    client.write(answer);
    if (!answer.includes(' 200 ')) return void client.end();
    const [host = '', port = ''] = one.target.split(':');
    const upstream = net.connect(Number(port), host);
    upstream.write(head);
    client.on('data', (chunk: Buffer) => {
      one.bytes += chunk.toString('latin1');
    });
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  const port = await listen(proxy);
  return { url: `http://127.0.0.1:${port}`, seen, port };
}

function clientFor(port: number, more: Partial<HttpClientOptions>) {
  const made = createHttpClient({
    baseUrl: `https://127.0.0.1:${port}`,
    userAgent: 'test',
    ca: server.cert,
    token: () => 'hunter2',
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
}

const get = { method: 'GET', path: '/thing', timeoutMs: 10_000 } as const;

describe('a client behind a proxy', () => {
  it('reaches the server through one tunnel for many requests, and shows the proxy no secret', async () => {
    const target = await listen(https.createServer(server, (request, response) => response.end(request.url)));
    const proxy = await startProxy();
    const api = clientFor(target, { proxy: proxy.url.replace('//', '//me:pa%20ss@') });
    expect(await api.request(get)).toMatchObject({ ok: true, text: '/thing' });
    expect(await api.request(get)).toMatchObject({ ok: true, text: '/thing' });
    expect(proxy.seen).toHaveLength(1);
    expect(proxy.seen[0]).toMatchObject({
      target: `127.0.0.1:${target}`,
      authorization: `Basic ${Buffer.from('me:pa ss').toString('base64')}`,
    });
    expect(proxy.seen[0]?.bytes).not.toContain('hunter2');
  });

  it('streams through it as well', async () => {
    const target = await listen(https.createServer(server, (_request, response) => response.end('one\ntwo\n')));
    const proxy = await startProxy();
    const lines: string[] = [];
    const end = await clientFor(target, { proxy: proxy.url }).stream(
      { path: '/', timeoutMs: 60_000, idleMs: 60_000, signal: new AbortController().signal },
      (line) => void lines.push(line),
    );
    expect(end).toEqual({ end: 'closed' });
    expect(lines).toEqual(['one', 'two']);
    expect(proxy.seen).toHaveLength(1);
  });

  it('still checks the certificate of the server behind it, and sends nothing to another', async () => {
    let asked = 0;
    const other = selfSigned('other');
    const target = await listen(https.createServer(other, (_request, response) => response.end(String(++asked))));
    const proxy = await startProxy();
    const answer = await clientFor(target, { proxy: proxy.url }).request({ ...get, method: 'POST', body: {} });
    expect(answer).toMatchObject({ ok: false, sent: false, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(asked).toBe(0);
  });

  it.each([
    ['wants a password', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', /refuses .* with 407 \(it wants a user/],
    ['forbids the server', 'HTTP/1.1 403 Forbidden\r\n\r\n', /refuses .* with 403/],
  ])('says so when the proxy %s, and that nothing was sent', async (_name, answer, expected) => {
    const proxy = await startProxy(answer);
    const failure = await clientFor(9, { proxy: proxy.url.replace('//', '//me:hunter3@') }).request(get);
    expect(failure).toMatchObject({ ok: false, sent: false, message: expect.stringMatching(expected) });
    expect(JSON.stringify(failure)).not.toContain('hunter');
  });

  it('says so when there is no proxy', async () => {
    const { port } = await startProxy();
    const gone = net.createServer();
    const dead = await listen(gone);
    gone.close();
    const failure = await clientFor(port, { proxy: `http://127.0.0.1:${dead}` }).request(get);
    expect(failure).toMatchObject({ ok: false, sent: false, message: expect.stringContaining(`127.0.0.1:${dead}`) });
  });

  it('gives up on a proxy that never answers', async () => {
    const silent = await listen(net.createServer(() => undefined));
    const api = clientFor(9, { proxy: `http://127.0.0.1:${silent}`, connectTimeoutMs: 30 });
    expect(await api.request(get)).toMatchObject({
      ok: false,
      sent: false,
      message: expect.stringContaining('no tunnel within 30 ms'),
    });
  });
});

describe('a host that never answers', () => {
  it('is given up when no connection stands in time, long before the time for a slow answer', async () => {
    // It accepts connections and says nothing, so TLS never comes to stand.
    const sockets: net.Socket[] = [];
    const silent = await listen(net.createServer((socket) => void sockets.push(socket)));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    expect(await clientFor(silent, { connectTimeoutMs: 30 }).request(get)).toMatchObject({
      ok: false,
      sent: false,
      timedOut: true,
      message: expect.stringContaining('no connection within 30 ms'),
    });
  });
});

describe('the proxy from the environment', () => {
  const env = { HTTPS_PROXY: 'proxy:3128', http_proxy: 'http://plain:80' };
  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://kube.example', env, 'http://proxy:3128'],
    ['http://kube.example', env, 'http://plain:80'],
    ['https://kube.example', {}, undefined],
    ['https://127.0.0.1:6443', env, undefined],
    ['https://[::1]:6443', env, undefined],
    ['https://kube.example', { ...env, NO_PROXY: '*' }, undefined],
    ['https://kube.example', { ...env, NO_PROXY: 'other.org, example' }, undefined],
    ['https://kube.example', { ...env, no_proxy: '.example' }, undefined],
    ['https://kubeexample', { ...env, NO_PROXY: 'example' }, 'http://proxy:3128'],
    ['https://kube.example:6443', { ...env, NO_PROXY: 'kube.example:443' }, 'http://proxy:3128'],
    ['https://kube.example', { ...env, NO_PROXY: 'kube.example:443' }, undefined],
    ['https://10.1.2.3', { ...env, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://11.1.2.3', { ...env, NO_PROXY: '10.0.0.0/8,nonsense/99' }, 'http://proxy:3128'],
    ['https://[fd00::1]', { ...env, NO_PROXY: 'fd00::/8' }, undefined],
    ['https://[fd00::1]', { ...env, NO_PROXY: 'fd00::1' }, undefined],
  ])('for %s with %o is %s', (target, environment, expected) => {
    expect(proxyFromEnvironment(new URL(target), environment)).toBe(expected);
  });

  it.each([
    ['http://proxy:3128', undefined],
    ['socks5://hunter2@proxy', 'socks5:'],
    ['not a url', 'no URL'],
  ])('%s is judged', (proxy, expected) => {
    const problem = proxyProblem(proxy);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(expected);
    expect(problem ?? '').not.toContain('hunter2');
  });
});
