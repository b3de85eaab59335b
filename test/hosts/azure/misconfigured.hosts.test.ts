/** An app whose configuration is wrong: its functions are there, they say what is wrong, and nothing else happens. */
import { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { FunctionApp } from '../../stand-ins/functions-host/core.ts';
import { call, callTimer } from '../../stand-ins/functions-host/invoke.ts';
import { type Broker, startServiceBus } from '../../stand-ins/service-bus/broker.ts';
import { type FunctionsHost, startFunctionsHost } from './functions-host.ts';
import { loadSources } from './sources.ts';

let broker: Broker;
let app: FunctionApp;
let host: FunctionsHost;

beforeAll(async () => {
  broker = await startServiceBus({ queues: { events: { lockSeconds: 60, maxDeliveryCount: 20 } } });
  vi.stubEnv('ServiceBus', broker.connectionString);
  vi.stubEnv('POOLWRIGHT_HTTP_TOKEN', 'the-token');
  vi.stubEnv('POOLWRIGHT_CONFIG', 'clusters:\n  a: { server: nowhere, token: very-secret }\n');
  app = await loadSources();
  host = await startFunctionsHost({
    app,
    hubFile: ':memory:',
    serviceBus: broker.connectionString,
    timers: false,
  });
});
afterAll(async () => {
  await host?.stop();
  await broker?.close();
  vi.unstubAllEnvs();
});

const mistake = /POOLWRIGHT_CONFIG:2: clusters\.a\.server must be an http/;

it('is alive and not ready, and tells the holder of the token why', async () => {
  const ask = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${host.url}${path}`, { headers });
    return [answer.status, JSON.stringify(await answer.json())] as const;
  };
  expect(await ask('/healthz')).toEqual([200, expect.stringContaining('"status":"ok"')]);
  expect(await ask('/readyz', 'the-token')).toEqual([503, expect.stringMatching(mistake)]);
  for (const token of [undefined, 'another-token']) {
    const [status, text] = await ask('/readyz', token);
    expect(status).toBe(503);
    expect(text).not.toMatch(mistake);
    expect(text).toContain('see the log');
  }
  expect(await ask('/v1/clusters', 'the-token')).toEqual([503, expect.stringMatching(mistake)]);
});

it('takes nobody for the holder of the token who knows the reference to it', async () => {
  const reference = '@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/http-token)';
  vi.stubEnv('POOLWRIGHT_HTTP_TOKEN', reference);
  const answer = await fetch(`${host.url}/readyz`, { headers: { authorization: `Bearer ${reference}` } });
  vi.stubEnv('POOLWRIGHT_HTTP_TOKEN', 'the-token');
  expect(answer.status).toBe(503);
  expect(await answer.text()).not.toMatch(mistake);
});

it('fails every run that would have done something, with the reason', async () => {
  await expect(callTimer(app, 'resync')).rejects.toThrow(mistake);
  await expect(callTimer(app, 'tidy')).rejects.toThrow(mistake);
  await expect(call(app, 'activity-choose', { id: 'a/u/launch/1', execution: 1, input: {} })).rejects.toThrow(mistake);
});

it('puts events off until it is mended', async () => {
  const client = new ServiceBusClient(broker.connectionString);
  await client.createSender('events').sendMessages({ body: Buffer.from('{"an":"event"}') });
  const peek = async () => (await client.createReceiver('events').peekMessages(10)).map((one) => one);
  await expect
    .poll(async () => (await peek()).map(({ state, applicationProperties }) => [state, applicationProperties]))
    .toEqual([
      [
        'scheduled',
        expect.objectContaining({ 'poolwright-receives': 1, 'poolwright-failure': expect.stringMatching(mistake) }),
      ],
    ]);
  await client.close();
});

it('says it in the log, and no secret with it', () => {
  const said = app.logged.filter(({ message }) => message.includes('host.misconfigured'));
  expect(said.length).toBeGreaterThan(0);
  expect(said[0]).toMatchObject({ level: 'error', message: expect.stringContaining('clusters.a.server') });
  expect(JSON.stringify(app.logged)).not.toContain('very-secret');
});
