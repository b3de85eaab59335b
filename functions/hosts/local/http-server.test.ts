import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import type { Peer } from '../../http/kit/callers.ts';
import { serveHttp } from './http-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'http-server-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const server = selfSigned('host');
const production = selfSigned('production');
const stranger = selfSigned('production');

async function start() {
  const peers: (Peer | undefined)[] = [];
  const app = {
    fetch: (_request: Request, peer?: Peer) => {
      peers.push(peer);
      return new Response('hello');
    },
  };
  const tls = {
    certFile: file('tls.crt', server.cert),
    keyFile: file('tls.key', server.key),
    clientCaFile: file('clients.crt', production.cert),
  };
  const served = await serveHttp(app, { host: '127.0.0.1', port: 0, tls }, silentLog);
  if (!served.ok) throw new Error(served.error.message);
  const { url, close } = served.value;
  closing.push(close);
  const ask = (client: { cert?: string; key?: string } = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(url, { ca: server.cert, agent: false, ...client }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
      asked.on('error', reject);
      asked.end();
    });
  return { url, ask, peers };
}

describe('the HTTP server with TLS', () => {
  it('tells who a client is by a certificate that its authority has signed, and lets others show a token', async () => {
    const { url, ask, peers } = await start();
    expect(url).toMatch(/^https:/);
    expect(await ask(production)).toBe(200);
    expect(await ask(stranger)).toBe(200);
    expect(await ask()).toBe(200);
    expect(peers.map((peer) => peer?.certificateNames)).toEqual([['production'], [], []]);
  });

  it('does not start with a file that it cannot read, and names the field', async () => {
    const tls = { certFile: join(directory, 'nowhere.crt'), keyFile: file('tls.key', server.key) };
    const served = await serveHttp({ fetch: () => new Response() }, { host: '127.0.0.1', port: 0, tls }, silentLog);
    expect(served).toMatchObject({
      ok: false,
      error: { message: `http.tls.certFile: ${join(directory, 'nowhere.crt')} can't be read (ENOENT)` },
    });
    rmSync(directory, { recursive: true, force: true });
  });
});

describe('the HTTP server', () => {
  it('stops though a request is not answered, and tells the one that works on it', async () => {
    const begun = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const app = {
      fetch: ({ signal }: Request) => {
        signal.addEventListener('abort', () => told.resolve());
        begun.resolve();
        return new Promise<Response>(() => undefined);
      },
    };
    const served = await serveHttp(app, { host: '127.0.0.1', port: 0 }, silentLog, 1);
    if (!served.ok) throw new Error(served.error.message);
    const asked = fetch(served.value.url).then(
      () => 'answered',
      () => 'cut off',
    );
    await begun.promise;
    await served.value.close();
    await told.promise;
    expect(await asked).toBe('cut off');
  });
});
