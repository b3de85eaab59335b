/** Each trigger through the library's own conversions, with the settings of a working app. */
import { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeEvent } from '../../../events/make.ts';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { openServiceBus, type ServiceBusNamespace } from '../../../shared/queue/service-bus/client.ts';
import { openServiceBusQueue, type ServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';
import { conditionStatus } from '../../nodes/world.ts';
import type { FunctionApp } from '../../stand-ins/functions-host/core.ts';
import { call, callTimer } from '../../stand-ins/functions-host/invoke.ts';
import { claimsOf } from './claims.ts';
import { type FunctionsHost, startFunctionsHost } from './functions-host.ts';
import { loadSources } from './sources.ts';
import { type AzureHostWorld, startAzureHostWorld } from './world.ts';

const secret = 'the-secret-of-the-webhook';
let world: AzureHostWorld;
let app: FunctionApp;
let host: FunctionsHost;
let namespace: ServiceBusNamespace;
let queue: ServiceBusQueue;

beforeAll(async () => {
  world = await startAzureHostWorld({ cluster: { intake: { pathSecrets: [secret] } }, away: true });
  for (const [name, value] of Object.entries(world.settings)) vi.stubEnv(name, value);
  app = await loadSources();
  host = await startFunctionsHost({
    app,
    hubFile: ':memory:',
    serviceBus: world.broker.connectionString,
    timers: false,
  });
  namespace = openServiceBus({ connectionString: world.broker.connectionString });
  queue = openServiceBusQueue({
    namespace,
    name: 'events',
    clock: systemClock,
    ids: systemIds,
    options: { visibilitySeconds: 60, maxReceives: 10, maxBodyBytes: 65_536 },
  });
});
afterAll(async () => {
  await namespace?.close();
  await host?.stop();
  await world?.close();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  app.logged.length = 0;
});

/** The lines of our own log, as Application Insights gets them. */
const lines = (): Record<string, unknown>[] =>
  app.logged.flatMap(({ message }) => (message.startsWith('{') ? [JSON.parse(message)] : []));

const event = (cluster: string) => {
  const data = { cluster, name: 'nobody', uid: 'no-such-uid', deleting: false, observedBy: 'bridge' as const };
  const attributes = { id: systemIds.next(), time: Date.now(), source: '/test', subject: `${cluster}/nobody` };
  return makeEvent('dev.poolwright.claim.changed.v1', data, attributes);
};

describe('the Service Bus trigger', () => {
  it('completes a message that is done', async () => {
    await queue.send([JSON.stringify(event('sim'))]);
    await expect.poll(() => queue.stats()).toMatchObject({ ready: 0, delayed: 0, dead: 0 });
  });

  it('puts off what can not be handled now, with its count and its reason', async () => {
    await queue.send([JSON.stringify(event('away'))]);
    await expect.poll(async () => (await queue.stats()).delayed).toBe(1);
    const client = new ServiceBusClient(world.broker.connectionString);
    const [copy] = await client.createReceiver('events').peekMessages(1);
    await client.close();
    expect(copy?.applicationProperties).toMatchObject({
      'poolwright-receives': 1,
      'poolwright-failure': expect.stringContaining('could not determine which deployment manages cluster away'),
    });
  });

  it('keeps what can not be understood apart, with the reason, and says so', async () => {
    await queue.send(['no event at all', '{"specversion":"1.0"}']);
    await expect.poll(async () => (await queue.stats()).dead).toBe(2);
    const { items } = await queue.deadLetters();
    expect(items.map(({ body }) => body).sort()).toEqual(['no event at all', '{"specversion":"1.0"}']);
    for (const { reason } of items) expect(reason).not.toBe('');
    expect(lines().filter((line) => line.event === 'event.dead-lettered')).toHaveLength(2);
  });
});

describe('the HTTP trigger', () => {
  const authorization = () => ({ authorization: `Bearer ${world.token}` });
  const events = (body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`${host.url}/v1/events`, {
      method: 'POST',
      headers: { ...authorization(), 'content-type': 'application/cloudevents-batch+json' },
      body,
    });

  it('hands on status, headers and body', async () => {
    const refused = await fetch(`${host.url}/v1/clusters`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    const unknown = await fetch(`${host.url}/v1/clustrs?a=b%2Fc`, { headers: authorization() });
    expect(unknown.status).toBe(404);
    const head = await fetch(`${host.url}/healthz`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('takes a large body whole, and bytes that are no text as what they are', async () => {
    const many = Array.from({ length: 400 }, () => event('sim'));
    const text = JSON.stringify(many);
    expect(text.length).toBeGreaterThan(100_000);
    const taken = await events(text);
    expect([taken.status, await taken.json()]).toEqual([202, { accepted: 400, rejected: [] }]);
    const bytes = await events(Uint8Array.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]));
    expect(bytes.status).toBe(400);
    await expect.poll(async () => (await queue.stats()).ready).toBe(0);
  });

  it('answers admission reviews, with the secret in the path', async () => {
    const metadata = { name: 'wrong', uid: 'u-1' };
    const spec = { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClas', name: 'default' }, requirements: [] };
    const object = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec };
    const resource = { group: 'karpenter.sh', version: 'v1', resource: 'nodeclaims' };
    const kind = { group: 'karpenter.sh', version: 'v1', kind: 'NodeClaim' };
    const request = {
      uid: 'r-1',
      kind,
      resource,
      name: 'wrong',
      operation: 'CREATE',
      userInfo: {},
      object,
      oldObject: null,
      dryRun: false,
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const answer = await fetch(`${host.url}/v1/webhook/sim/${secret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(review),
    });
    expect(await answer.json()).toMatchObject({
      response: { uid: 'r-1', allowed: false, status: { message: expect.stringContaining('SimNodeClass') } },
    });
    expect(JSON.stringify(app.logged)).not.toContain(secret);
  });

  it('says which clusters are fine and which are not', async () => {
    const ready = await fetch(`${host.url}/readyz`, { headers: authorization() });
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      ready: false,
      checks: { 'cluster sim': { ok: true }, 'cluster away': { ok: false } },
    });
  });
});

describe('a step of an orchestration that began when each step was a function', () => {
  it('counts for the function that ran it, and not for one that is not deployed', async () => {
    const input = { providerType: 'sim' };
    await call(app, 'activity-choose', { id: 'sim/u/launch/1', execution: 1, input });
    expect(lines()).toContainEqual(expect.objectContaining({ event: 'step.failed', function: 'activity-choose' }));
  });
});

describe('the timer triggers', () => {
  it('run for every cluster, and say it when they come late', async () => {
    await callTimer(app, 'resync', true);
    expect(lines()).toContainEqual(expect.objectContaining({ event: 'timer.late', function: 'resync' }));
    expect(lines()).toContainEqual(expect.objectContaining({ event: 'resync.failed', cluster: 'away' }));
    expect(lines()).not.toContainEqual(expect.objectContaining({ event: 'resync.failed', cluster: 'sim' }));
  });

  it.each([
    'ownership',
    'node-classes',
    'static-pools',
    'expiration',
    'refresh-offerings',
    'garbage-collection',
    'cluster-requests',
    'machine-providers',
    'tidy',
  ])('%s runs to its end', async (name) => {
    await callTimer(app, name);
    expect(lines().filter(({ level, cluster }) => level === 'error' && cluster !== 'away')).toEqual([]);
  });
});

/** A page of workflows, or one of them. */
interface Shown {
  items: { id: string }[];
  next?: string;
  history: { command: string }[];
}

describe('the orchestration and activity triggers', () => {
  it('carry a claim to Ready, wake for its end, and leave nothing behind', async () => {
    const claims = claimsOf(world.world.cluster.url, () => JSON.stringify(lines(), null, 1));
    await claims.create('one');
    await callTimer(app, 'resync');
    await claims.look('one', (claim) => conditionStatus(claim, 'Ready') === 'True');
    await claims.delete('one');
    await callTimer(app, 'resync');
    await claims.look('one', (claim) => claim === undefined);
    claims.close();
    expect(world.world.cloud.living).toBe(0);
    expect(lines()).toContainEqual(expect.objectContaining({ event: 'claim.ready', claim: 'one' }));
  });

  it('are seen through the HTTP API', async () => {
    const get = async (path: string) => {
      const answer = await fetch(`${host.url}/v1/workflows${path}`, {
        headers: { authorization: `Bearer ${world.token}` },
      });
      return [answer.status, (await answer.json()) as Shown] as const;
    };
    await expect.poll(async () => (await get('?status=completed'))[1].items.length).toBe(2);
    const [, { items, next }] = await get('?status=completed&limit=1');
    expect(items).toMatchObject([{ workflow: 'launch', status: 'completed', result: { end: 'ready' } }]);
    expect((await get(`?status=completed&limit=1&after=${next}`))[1]).toMatchObject({
      items: [{ workflow: 'terminate' }],
    });
    expect((await get('?status=set-aside'))[1]).toEqual({ items: [] });
    const [status, launch] = await get(`/${items[0]?.id}`);
    expect([status, launch]).toMatchObject([200, { group: 'sim', input: { cluster: 'sim', name: 'one' } }]);
    const commands = launch.history.map(({ command }) => command);
    expect(commands[0]).toBe('call choose');
    expect(commands).toContain('call beginCreate');
    expect((await get('/sim/nobody/launch/1'))[0]).toBe(404);
    expect((await get('/nonsense'))[0]).toBe(404);
  });

  it('are started once more through the HTTP API, which also says where the log is', async () => {
    const headers = { authorization: `Bearer ${world.token}` };
    const get = async (path: string) => (await (await fetch(`${host.url}${path}`, { headers })).json()) as Shown;
    const { items } = await get('/v1/workflows?status=completed&limit=1');
    const [cluster, uid, kind, epoch] = items[0]?.id.split('/') ?? [];
    const restart = (id: string) => fetch(`${host.url}/v1/workflows/${id}/restart`, { method: 'POST', headers });

    const again = await restart(`${cluster}/${uid}/${kind}/${epoch}`);
    const next = `${cluster}/${uid}/${kind}/${Number(epoch) + 1}`;
    expect([again.status, await again.json()]).toEqual([200, { id: next, epoch: Number(epoch) + 1 }]);
    expect((await restart(`${cluster}/${uid}/${kind}/${epoch}`)).status).toBe(409);
    const newest = async () => (await get(`/v1/workflows?cluster=${cluster}&uid=${uid}&status=completed`)).items;
    await expect.poll(newest).toContainEqual(expect.objectContaining({ id: next }));
    expect(world.world.cloud.living).toBe(0);

    expect(await get('/v1/logs?claim=one')).toMatchObject({
      code: 'LogsElsewhere',
      detail: expect.stringMatching(/^The log of this host is in Application Insights. Query it with:\naz monitor /),
    });
  });
});
