/** The server for machine drivers, with the client that the product has, over sockets. */
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom, systemClock } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import type { Channel } from '../../../shared/drivers/grpc/channel.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../../shared/drivers/mock/options.ts';
import { makeAuthority } from '../../../shared/net/certificates/certificates.ts';
import { startTestServer, type TestServer } from './server.ts';

const open: TestServer[] = [];
const start: typeof startTestServer = async (...options) => {
  const server = await startTestServer(...options);
  open.push(server);
  return server;
};
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});

const never = new AbortController().signal;
const mockFor = () =>
  mockDriver({ ...mockDefaults, taskTime: 0 }, { clock: systemClock, timers: systemTimers, random: seededRandom(1) });
const validate = (channel: Channel, seconds = 5) => channel.call('Validate', {}, { seconds, signal: never });
const refusals = ({ lines }: TestServer) => lines.filter(({ event }) => event === 'provider-server.connection.refused');

describe('who may call', () => {
  it('serves a client of its authority', async () => {
    const server = await start();
    expect(await validate(server.channel())).toMatchObject({ ok: true, value: { ok: true } });
  });

  it.each([
    ['without a certificate', (server: TestServer) => ({ ca: server.clientFiles({}).ca })],
    [
      'of another authority',
      (server: TestServer) =>
        server.clientFiles({}, { authority: makeAuthority({ commonName: 'x' }, { from: 0, to: Date.UTC(2049, 0) }) }),
    ],
    [
      'whose certificate has expired',
      (server: TestServer) => server.clientFiles({}, { validity: { from: 0, to: Date.UTC(2021, 0) } }),
    ],
    ['without TLS', () => undefined],
  ])('refuses a client %s, says so once, and goes on serving others', async (_, tls) => {
    const server = await start();
    const other = server.channel();
    expect(await validate(other)).toMatchObject({ ok: true });
    expect(await validate(server.channel({ tls: tls(server) }), 1)).toMatchObject({ ok: false });
    expect(refusals(server).length).toBeGreaterThanOrEqual(1);
    expect(new Set(refusals(server).map(({ fields }) => fields.reason)).size).toBe(1);
    expect(await validate(other)).toMatchObject({ ok: true });
  });

  it('denies every call to a client whose certificate has none of the allowed names', async () => {
    const server = await start({ allowedNames: ['manager.poolwright', 'spiffe://cluster/manager'] });
    const call = async (names: object) => validate(server.channel({ tls: server.clientFiles(names) }));
    expect(await call({ commonName: 'stranger', dns: ['manager.elsewhere'] })).toMatchObject({
      ok: false,
      said: { code: 7 },
    });
    expect(refusals(server)).toHaveLength(1);
    expect(await call({ dns: ['manager.poolwright'] })).toMatchObject({ ok: true });
    expect(await call({ uris: ['spiffe://cluster/manager'] })).toMatchObject({ ok: true });
    expect(await call({ commonName: 'manager.poolwright' })).toMatchObject({ ok: true });
  });

  it('asks for a token where there is one', async () => {
    const server = await start({ isToken: (token) => token === 'right' });
    const tls = server.clientFiles({});
    expect(await validate(server.channel({ tls }))).toMatchObject({ ok: false, said: { code: 7 } });
    expect(await validate(server.channel({ tls, token: 'wrong' }))).toMatchObject({ ok: false, said: { code: 7 } });
    expect(await validate(server.channel({ tls, token: 'right' }))).toMatchObject({ ok: true });
  });

  it('uses new certificates without a break, and keeps the old ones while the new ones are unusable', async () => {
    const server = await start();
    const before = server.channel();
    expect(await validate(before)).toMatchObject({ ok: true });
    server.renew();
    expect(server.lines.map(({ event }) => event)).toContain('provider-server.certificates.reloaded');
    expect(await validate(before)).toMatchObject({ ok: true });
    expect(await validate(server.channel())).toMatchObject({ ok: true });
  });
});

describe('what a caller may send', () => {
  it('refuses a message that is too large', async () => {
    const server = await start();
    const request = { name: 'x', userData: Buffer.alloc(17 * 2 ** 20) };
    const answer = await server.channel().call('Create', request, { seconds: 5, signal: never });
    expect(answer).toMatchObject({ ok: false, said: { code: 8 } });
  });

  it('refuses more calls per second than it takes, and says when there is room', async () => {
    const server = await start({ rate: { qps: 0.5, burst: 2 } });
    const channel = server.channel();
    const answers = [await validate(channel), await validate(channel), await validate(channel)];
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(answers[2]).toMatchObject({ said: { kind: 'throttled', retryAfterSeconds: expect.any(Number) } });
  });

  it('is not held up by a client that sends nothing', async () => {
    const server = await start();
    const idle = connect(server.host.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    expect(await validate(server.channel())).toMatchObject({ ok: true });
    idle.destroy();
  });

  it('says what is wrong with a machine, in the words of our kinds', async () => {
    const server = await start();
    const answer = await server.channel().call('Create', { name: 'x', classJson: '{}' }, { seconds: 5, signal: never });
    expect(answer).toMatchObject({
      ok: false,
      said: { code: 3, kind: 'invalid', details: expect.stringContaining('class_json.CPU') },
    });
  });
});

describe('health and metrics', () => {
  it('answers a kubelet and Prometheus', async () => {
    const server = await start();
    await validate(server.channel());
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.host.healthPort}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    expect(await get('/readyz')).toMatchObject({ status: 200 });
    const { text } = await get('/metrics');
    for (const line of [
      'provider_grpc_requests_total{method="Validate",status="success"} 1',
      'provider_grpc_request_duration_seconds{quantile="0.95",method="Validate"}',
      'provider_vms_total{state="running"} 2',
      'provider_vms_total{state="stopped"} 1',
      'provider_health_status{provider="test"} 1',
      'provider_hypervisor_connection_status{endpoint="mock"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('goes on while a driver throws, and is not ready', async () => {
    const driver = mockFor();
    const server = await start({ driver: { ...driver, validate: () => Promise.reject(new Error('broken')) } });
    const response = await fetch(`http://127.0.0.1:${server.host.healthPort}/readyz`);
    expect([response.status, await response.text()]).toEqual([503, 'the driver failed: broken\n']);
  });

  it('is not ready while the hypervisor does not respond', async () => {
    const server = await start({}, { failure: 'validate' });
    const response = await fetch(`http://127.0.0.1:${server.host.healthPort}/readyz`);
    expect([response.status, await response.text()]).toEqual([503, 'MOCK_FAILURE_MODE is validate\n']);
  });
});
