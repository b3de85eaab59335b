/** What a connection says of servers that cannot be reached or are none, in the words of the gRPC library: over sockets. */
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom, systemClock } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import { type ConnectionOptions, connectDriver } from '../../../shared/drivers/grpc/connect.ts';
import { makeAuthority } from '../../../shared/net/certificates/certificates.ts';
import { startTestServer, type TestServer } from './server.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const never = new AbortController().signal;

function connect(address: string, more: Partial<ConnectionOptions> = {}): MachineDriver {
  const parts = { clock: systemClock, random: seededRandom(1), timers: systemTimers };
  const options = { name: 'lab', type: 'mock', rate: { burst: 1e6, perSecond: 1e6 }, tries: 1, ...more, address };
  const driver = connectDriver(options, parts);
  closers.push(() => driver.close());
  return driver;
}

const start = async (): Promise<TestServer> => {
  const server = await startTestServer();
  closers.push(() => server.stop());
  return server;
};

const spec = { class: { cpu: 1, memoryMiB: 512 }, image: {}, networks: [], disks: [], tags: [] };

describe('a connection with certificates', () => {
  it('makes machines, and one channel serves both of two users', async () => {
    const server = await start();
    const tls = server.clientFiles({});
    const [one, two] = [1, 2].map(() => connect(`localhost:${server.host.port}`, { tls }));
    expect(await one?.create('web', spec, never)).toMatchObject({ ok: true });
    await one?.close();
    expect(await two?.list(never)).toMatchObject({ ok: true });
  });

  it.each([
    [
      'a server of another authority',
      (): Partial<ConnectionOptions> => {
        const other = makeAuthority({ commonName: 'other' }, { from: 0, to: Date.UTC(2049, 0) });
        return { tls: { pem: { ca: other.cert } } };
      },
    ],
    [
      'a certificate of another name',
      (server: TestServer): Partial<ConnectionOptions> => ({ tls: server.clientFiles({}), serverName: 'elsewhere' }),
    ],
  ])('is refused by %s, and nothing was sent', async (_, options) => {
    const server = await start();
    const driver = connect(`localhost:${server.host.port}`, options(server));
    expect(await driver.create('web', spec, never)).toMatchObject({
      ok: false,
      error: { kind: 'unavailable', code: 'ProviderTlsRefused' },
    });
  });
});

describe('a server that is none', () => {
  it('where nothing listens, a write was not sent', async () => {
    const free = createTcpServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const driver = connect(`127.0.0.1:${port}`);
    expect(await driver.create('web', spec, never)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it('where a name does not exist, a write was not sent', async () => {
    const driver = connect('provider.invalid:9443');
    expect(await driver.create('web', spec, never)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it('where a web server answers, it says so', async () => {
    const web: HttpServer = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    closers.push(async () => web.close());
    const { port } = web.address() as { port: number };
    const driver = connect(`127.0.0.1:${port}`);
    expect(await driver.create('web', spec, never)).toMatchObject({
      ok: false,
      error: { kind: 'unavailable', code: 'NotAProviderServer' },
    });
  });
});

it('a server that is restarted is used again', async () => {
  const server = await start();
  const driver = connect(`localhost:${server.host.port}`, { tls: server.clientFiles({}), tries: 5 });
  expect(await driver.list(never)).toMatchObject({ ok: true });
  server.renew();
  expect(await driver.list(never)).toMatchObject({ ok: true });
});
