import { mkdtempSync, writeFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../base/json.ts';
import { manualClock } from '../../base/runtime.ts';
import { collectingLog, silentLog } from '../../observe/log/log.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodes, pods, type WatchEvent } from '../contract.ts';
import { type ClusterConnection, connectCluster } from './http.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Json | undefined;
}

type Reply = (response: ServerResponse, seen: Seen) => void;

/** A stand-in API server that answers whatever the test says, and remembers what it was asked. */
async function standIn(reply: Reply, more: Partial<ClusterConnection> = {}) {
  const seen: Seen[] = [];
  const pauses: number[] = [];
  const sockets = new Set<object>();
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: text === '' ? undefined : (JSON.parse(text) as Json),
      };
      seen.push(one);
      reply(response, one);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = connectCluster({
    name: 'test',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock: manualClock(),
    log: silentLog,
    requestTimeoutMs: 60_000,
    fieldManager: 'poolwright',
    random: () => 0,
    pause: async (milliseconds) => void pauses.push(milliseconds),
    ...more,
  });
  onTestFinished(() => {
    api.close();
    server.close();
    server.closeAllConnections();
  });
  return { api, seen, sockets, pauses };
}

const json =
  (status: number, body: Json, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const status = (code: number, more: { [key: string]: Json } = {}): Json => ({
  kind: 'Status',
  apiVersion: 'v1',
  code,
  ...more,
});

const claim = (name: string, resourceVersion = '7'): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, uid: `uid-${name}`, resourceVersion, creationTimestamp: '2026-01-01T00:00:00Z' },
});

const notFound = status(404, {
  reason: 'NotFound',
  message: 'nodeclaims.karpenter.sh "a" not found',
  details: { name: 'a', group: 'karpenter.sh', kind: 'nodeclaims' },
});

type Call = (api: ClusterApi) => Promise<{ ok: boolean; error?: object }>;
const get: Call = (api) => api.get(nodeClaims, { name: 'a' });
const merge: Call = (api) => api.mergePatch(nodeClaims, { name: 'a' }, {});
const testPatch: Call = (api) =>
  api.jsonPatch(nodeClaims, { name: 'a' }, [{ op: 'test', path: '/metadata/uid', value: 'u' }]);
const addPatch: Call = (api) =>
  api.jsonPatch(nodeClaims, { name: 'a' }, [{ op: 'add', path: '/metadata/labels/x', value: 'u' }]);
const listMore: Call = (api) => api.list(nodeClaims, { continue: 'old' });
const evict: Call = (api) => api.evict({ name: 'a', namespace: 'ns' }, 'u');

describe('what an answer means', () => {
  const noField = status(422, { reason: 'Invalid', message: 'the server rejected our request', details: {} });
  const withField = status(422, {
    reason: 'Invalid',
    message: 'NodeClaim "a" is invalid',
    details: { name: 'a', causes: [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'must be a number' }] },
  });
  const byPolicy = status(422, {
    reason: 'Invalid',
    message: `nodeclaims "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
    details: { name: 'a', kind: 'nodeclaims', causes: [{ message: 'no' }] },
  });
  const byWebhook = status(422, { message: 'admission webhook "w.example.com" denied the request: no' });
  it.each<[string, Call, Reply, object]>([
    ['a 404 that names the object', get, json(404, notFound), { kind: 'not-found' }],
    [
      'a 404 that names another object',
      get,
      json(404, status(404, { details: { name: 'b', kind: 'nodeclaims' } })),
      { kind: 'unavailable' },
    ],
    [
      'a 404 about another kind of that name',
      get,
      json(404, status(404, { details: { name: 'a', kind: 'namespaces' } })),
      { kind: 'unavailable' },
    ],
    ['a 404 for a kind that is not served', get, json(404, status(404, { details: {} })), { kind: 'unavailable' }],
    [
      'a 404 page of a proxy',
      get,
      (r) => void r.writeHead(404).end('<h1>Not Found</h1>'),
      { kind: 'unavailable', message: expect.stringContaining('does not serve nodeclaims.karpenter.sh') },
    ],
    ['a 404 for a patch', merge, json(404, notFound), { kind: 'not-found' }],
    [
      'a 404 for a write into a namespace that is not there',
      merge,
      json(404, status(404, { message: 'namespaces "ns" not found', details: { name: 'ns', kind: 'namespaces' } })),
      { kind: 'unavailable', code: 'namespace-missing', message: 'namespaces "ns" not found (HTTP 404)' },
    ],
    [
      'a 409',
      merge,
      json(409, status(409, { reason: 'Conflict', message: 'changed' })),
      { kind: 'conflict', message: 'changed (HTTP 409)' },
    ],
    ['a failed test of a JSON patch', testPatch, json(422, noField), { kind: 'conflict' }],
    [
      'a schema error of a JSON patch with tests',
      testPatch,
      json(422, withField),
      { kind: 'invalid', message: expect.stringContaining('spec.x: must be a number') },
    ],
    ['a policy that refuses a JSON patch with tests', testPatch, json(422, byPolicy), { kind: 'invalid' }],
    ['a webhook that refuses a JSON patch with tests', testPatch, json(422, byWebhook), { kind: 'invalid' }],
    ['a 422 for a JSON patch without tests', addPatch, json(422, noField), { kind: 'invalid' }],
    ['a 400', merge, json(400, status(400, { message: 'bad' })), { kind: 'invalid' }],
    [
      'a 410 for a page',
      listMore,
      json(410, status(410, { reason: 'Expired', message: 'too old' })),
      { kind: 'conflict', message: expect.stringContaining('start it again') },
    ],
    [
      'a 429 with a header',
      merge,
      json(429, status(429), { 'retry-after': '9' }),
      { kind: 'throttled', retryAfterSeconds: 9 },
    ],
    [
      'a 429 with the pause in the body',
      evict,
      json(429, status(429, { details: { retryAfterSeconds: 3 } })),
      { kind: 'throttled', retryAfterSeconds: 3 },
    ],
    [
      'a 401',
      get,
      json(401, status(401)),
      { kind: 'unauthorised', message: expect.stringMatching(/rejects the credentials: they are wrong, expired/) },
    ],
    ['a 403', merge, json(403, status(403)), { kind: 'unauthorised' }],
    ['a 500 for a read', get, json(500, status(500)), { kind: 'unavailable' }],
    [
      'a 503 for a read',
      get,
      json(503, status(503), { 'retry-after': '2' }),
      { kind: 'unavailable', retryAfterSeconds: 2 },
    ],
    ['a 500 for a write', merge, json(500, status(500)), { kind: 'outcome-unknown' }],
    ['a 504 for an eviction', evict, json(504, status(504)), { kind: 'outcome-unknown' }],
    ['a redirect', get, (r) => void r.writeHead(302, { location: '/login' }).end(), { kind: 'unavailable' }],
    [
      'a login page with 200',
      get,
      (r) => void r.end('<html>'),
      { kind: 'unavailable', message: expect.stringContaining('proxy') },
    ],
    ['another object with 200', get, json(200, claim('b')), { kind: 'unavailable' }],
    ['a login page with 200 for a write', merge, (r) => void r.end('<html>'), { kind: 'outcome-unknown' }],
    ['a broken line for a read', get, (r) => void r.destroy(), { kind: 'unavailable' }],
    ['a broken line for a write', merge, (r) => void r.destroy(), { kind: 'outcome-unknown' }],
  ])('%s', async (_name, call, reply, expected) => {
    const { api } = await standIn(reply);
    expect(await call(api)).toEqual({ ok: false, error: expect.objectContaining(expected) });
  });

  it.each<[string, Json]>([
    ['an empty object', {}],
    ['a list without a version', { kind: 'NodeClaimList', metadata: {}, items: [] }],
    ['a list without items', { kind: 'NodeClaimList', metadata: { resourceVersion: '1' } }],
    ['one object', claim('a')],
  ])('%s never passes for an empty list', async (_name, body) => {
    const { api } = await standIn(json(200, body));
    expect(await api.list(nodeClaims)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it('is unavailable for a write that never left', async () => {
    const { api } = await standIn(json(200, claim('a')));
    api.close();
    expect(await merge(api)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });
});

describe('an eviction that is refused', () => {
  const budget = 'The disruption budget web needs 2 healthy pods and has 2 currently';
  it.each<[string, Reply, object]>([
    [
      'a budget: not now, with the words and the pause of the budget',
      json(
        429,
        status(429, {
          message: 'Cannot evict pod.',
          details: { causes: [{ reason: 'DisruptionBudget', message: budget }], retryAfterSeconds: 10 },
        }),
      ),
      { kind: 'throttled', refusedBy: 'budget', message: expect.stringContaining(budget), retryAfterSeconds: 10 },
    ],
    [
      'several budgets: never, until somebody mends them',
      json(500, status(500, { message: 'This pod has more than one PodDisruptionBudget, which is not supported.' })),
      { kind: 'invalid', refusedBy: 'several-budgets' },
    ],
  ])('is told from a busy server: %s', async (_name, reply, expected) => {
    const { api } = await standIn(reply);
    expect(await evict(api)).toEqual({ ok: false, error: expect.objectContaining(expected) });
  });

  it('says nothing about budgets when the server is busy or broken', async () => {
    for (const reply of [json(429, status(429, { message: 'slow down' })), json(500, status(500))]) {
      const { api } = await standIn(reply);
      const result = await evict(api);
      expect(result).toMatchObject({ ok: false });
      expect(JSON.stringify(result)).not.toContain('refusedBy');
    }
  });
});

describe('a server that asks for patience', () => {
  const busy = json(429, status(429, { message: 'too many requests' }), { 'retry-after': '1' });
  const afterwards =
    (first: Reply, times: number): Reply =>
    (response, seen) => {
      times -= 1;
      return (times >= 0 ? first : json(200, claim('a')))(response, seen);
    };

  it.each([
    ['a read', get],
    ['a write, which the server has not begun', merge],
  ])('gets it for %s', async (_name, call) => {
    const { api, seen, pauses } = await standIn(afterwards(busy, 2));
    expect(await call(api)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(3);
    expect(pauses).toEqual([1000, 1000]);
  });

  it('is not asked for ever', async () => {
    const { api, seen } = await standIn(busy);
    expect(await merge(api)).toMatchObject({ ok: false, error: { kind: 'throttled', retryAfterSeconds: 1 } });
    expect(seen).toHaveLength(4);
  });

  it('is given up when the caller goes', async () => {
    const stop = new AbortController();
    const { api, seen } = await standIn(busy, { pause: async () => stop.abort() });
    expect(await api.get(nodeClaims, { name: 'a' }, stop.signal)).toMatchObject({ error: { kind: 'throttled' } });
    expect(seen).toHaveLength(1);
  });

  it('is asked again for a read that found it unavailable, but not for a write, which may have been done', async () => {
    const away = json(503, status(503), { 'retry-after': '1' });
    const reading = await standIn(afterwards(away, 1));
    expect(await get(reading.api)).toMatchObject({ ok: true });
    const writing = await standIn(afterwards(away, 1));
    expect(await merge(writing.api)).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } });
    expect(writing.seen).toHaveLength(1);
  });

  it('gets none from an eviction that a budget refuses: that is an answer', async () => {
    const details = { causes: [{ reason: 'DisruptionBudget', message: 'no' }], retryAfterSeconds: 1 };
    const { api, seen } = await standIn(json(429, status(429, { details })));
    expect(await evict(api)).toMatchObject({ error: { refusedBy: 'budget' } });
    expect(seen).toHaveLength(1);
  });
});

describe('a cluster that does not answer', () => {
  it('is left alone after three silences, and taken back by the first answer', async () => {
    const clock = manualClock();
    let dead = true;
    const { api, seen } = await standIn(
      (response, one) => (dead ? void response.destroy() : json(200, claim('a'))(response, one)),
      { clock },
    );
    // Not one that reads, because a broken line is tried twice for those.
    for (let count = 0; count < 3; count += 1)
      expect(await merge(api)).toMatchObject({ error: { kind: 'outcome-unknown' } });
    expect(await merge(api)).toMatchObject({
      ok: false,
      error: {
        kind: 'unavailable',
        retryAfterSeconds: 1,
        message: expect.stringContaining('the next request follows in'),
      },
    });
    expect(
      await api.watch(nodes, { resourceVersion: '1' }, () => undefined, new AbortController().signal),
    ).toMatchObject({
      end: 'failed',
      retryAfterSeconds: 1,
    });
    expect(seen).toHaveLength(3);
    clock.advance(1001);
    dead = false;
    expect(await merge(api)).toMatchObject({ ok: true });
    expect(await merge(api)).toMatchObject({ ok: true });
  });
});

describe('a cluster that is closed off', () => {
  it('answers everything with the reason, and is not asked', async () => {
    const { api, seen } = await standIn(json(200, claim('a')), {
      refuse: () => ({ kind: 'invalid', message: 'the same as another' }),
    });
    expect(await merge(api)).toMatchObject({ error: { kind: 'invalid', message: 'the same as another' } });
    expect(
      await api.watch(nodes, { resourceVersion: '1' }, () => undefined, new AbortController().signal),
    ).toMatchObject({
      end: 'failed',
      message: 'the same as another',
    });
    expect(seen).toEqual([]);
  });
});

describe('a server-side apply', () => {
  const object: Json = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'a' } };

  it('goes out under our field manager, by force only when asked to', async () => {
    const { api, seen } = await standIn(json(200, claim('a')));
    expect(await api.apply(nodeClaims, object)).toMatchObject({ ok: true, value: { metadata: { uid: 'uid-a' } } });
    await api.apply(nodeClaims, object, { force: true, subresource: 'status' });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PATCH /apis/karpenter.sh/v1/nodeclaims/a?fieldManager=poolwright&force=false',
      'PATCH /apis/karpenter.sh/v1/nodeclaims/a/status?fieldManager=poolwright&force=true',
    ]);
    expect(seen[0]).toMatchObject({ headers: { 'content-type': 'application/apply-patch+yaml' }, body: object });
  });

  it('names the other manager in a conflict', async () => {
    const other = 'conflict with "kubectl" using karpenter.sh/v1';
    const reply = status(409, {
      reason: 'Conflict',
      message: `Apply failed with 1 conflict: ${other}: .spec.x`,
      details: { causes: [{ reason: 'FieldManagerConflict', message: other, field: '.spec.x' }] },
    });
    const { api } = await standIn(json(409, reply));
    expect(await api.apply(nodeClaims, object)).toMatchObject({
      ok: false,
      error: { kind: 'conflict', message: expect.stringContaining('"kubectl"') },
    });
  });

  it('without a name is refused before it leaves', async () => {
    const { api, seen } = await standIn(json(200, claim('a')));
    expect(await api.apply(nodeClaims, { metadata: {} })).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    expect(seen).toEqual([]);
  });
});

describe('what is asked', () => {
  it('reads and lists with the right path and query', async () => {
    const { api, seen } = await standIn((response, { url }) =>
      json(
        200,
        url.includes('?')
          ? { kind: 'PodList', metadata: { resourceVersion: '4', continue: 'c2' }, items: [claim('p')] }
          : claim('a'),
      )(response, seen[0] as Seen),
    );
    expect(await api.get(nodeClaims, { name: 'a' })).toMatchObject({ ok: true, value: { metadata: { uid: 'uid-a' } } });
    expect(
      await api.list(pods, {
        namespace: 'ns',
        labelSelector: 'a=b',
        fieldSelector: 'spec.nodeName=n',
        limit: 2,
        continue: 'c1',
      }),
    ).toMatchObject({
      ok: true,
      value: { resourceVersion: '4', continue: 'c2', items: [{ metadata: { name: 'p' } }] },
    });
    expect(seen.map((one) => one.url)).toEqual([
      '/apis/karpenter.sh/v1/nodeclaims/a',
      '/api/v1/namespaces/ns/pods?labelSelector=a%3Db&fieldSelector=spec.nodeName%3Dn&limit=2&continue=c1',
    ]);
  });

  it('writes with the right content type, as the field manager', async () => {
    const { api, seen } = await standIn(json(200, claim('a')));
    await api.create(nodeClaims, { metadata: { name: 'a' } });
    await api.mergePatch(nodeClaims, { name: 'a' }, { status: {} }, { subresource: 'status' });
    await api.jsonPatch(nodeClaims, { name: 'a' }, [{ op: 'remove', path: '/x' }]);
    expect(seen.map((one) => [one.method, one.url, one.headers['content-type']])).toEqual([
      ['POST', '/apis/karpenter.sh/v1/nodeclaims?fieldManager=poolwright', 'application/json'],
      ['PATCH', '/apis/karpenter.sh/v1/nodeclaims/a/status?fieldManager=poolwright', 'application/merge-patch+json'],
      ['PATCH', '/apis/karpenter.sh/v1/nodeclaims/a?fieldManager=poolwright', 'application/json-patch+json'],
    ]);
    expect(seen[2]?.body).toEqual([{ op: 'remove', path: '/x' }]);
  });

  it('deletes and evicts only the object of that uid', async () => {
    const { api, seen } = await standIn(json(200, status(200)));
    expect(await api.delete(nodes, { name: 'n' }, { uid: 'u', gracePeriodSeconds: 0 })).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await api.delete(nodes, { name: 'n' }, { resourceVersion: '5' })).toEqual({ ok: true, value: undefined });
    expect(await api.evict({ name: 'p', namespace: 'ns' }, 'u')).toEqual({ ok: true, value: undefined });
    expect(seen[0]).toMatchObject({ method: 'DELETE', body: { preconditions: { uid: 'u' }, gracePeriodSeconds: 0 } });
    expect(seen[1]).toMatchObject({ body: { preconditions: { resourceVersion: '5' } } });
    expect(seen[2]).toMatchObject({
      method: 'POST',
      url: '/api/v1/namespaces/ns/pods/p/eviction',
      body: {
        kind: 'Eviction',
        metadata: { name: 'p', namespace: 'ns' },
        deleteOptions: { preconditions: { uid: 'u' } },
      },
    });
  });

  it.each(['', '.', '..', 'a/b'])('never sends a delete for the name %j', async (name) => {
    const { api, seen } = await standIn(json(200, status(200)));
    expect(await api.delete(nodes, { name }, {})).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    expect(seen).toEqual([]);
  });

  it('wants a namespace where there has to be one', async () => {
    const { api, seen } = await standIn(json(200, status(200)));
    for (const result of [
      await api.get(pods, { name: 'p' }),
      await api.create(pods, {}),
      await api.evict({ name: 'p' }, 'u'),
    ]) {
      expect(result).toMatchObject({
        ok: false,
        error: { kind: 'invalid', message: expect.stringContaining('namespace') },
      });
    }
    expect(seen).toEqual([]);
  });
});

describe('a token file', () => {
  function tokenFile(): string {
    return join(mkdtempSync(join(tmpdir(), 'poolwright-')), 'token');
  }

  it('is read again at once when the server refuses the token', async () => {
    const file = tokenFile();
    writeFileSync(file, 'old\n');
    const { api, seen } = await standIn(
      (response, one) =>
        json(
          one.headers.authorization === 'Bearer new' ? 200 : 401,
          one.headers.authorization === 'Bearer new' ? claim('a') : status(401),
        )(response, one),
      { tokenFile: file },
    );
    expect(await get(api)).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
    writeFileSync(file, 'new\n');
    expect(await merge(api)).toMatchObject({ ok: true });
    expect(seen.map((one) => one.headers.authorization)).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
  });

  it('is read again after a minute', async () => {
    const file = tokenFile();
    const clock = manualClock();
    writeFileSync(file, 'one');
    const { api, seen } = await standIn(json(200, claim('a')), { tokenFile: file, clock });
    await get(api);
    writeFileSync(file, 'two');
    await get(api);
    clock.advance(60_000);
    await get(api);
    expect(seen.map((one) => one.headers.authorization)).toEqual(['Bearer one', 'Bearer one', 'Bearer two']);
  });

  it('that cannot be read is reported, and the request goes out without a token', async () => {
    const log = collectingLog();
    const { api, seen } = await standIn(json(401, status(401)), { tokenFile: '/nowhere/token', log });
    expect(await get(api)).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
    expect(log.lines[0]?.event).toBe('cluster.token-file.unreadable');
    expect(seen).toHaveLength(1);
  });
});

describe('a watch', () => {
  const line = (type: string, object: Json): string => `${JSON.stringify({ type, object })}\n`;
  const never = new AbortController().signal;
  async function watched(reply: Reply, more: Partial<ClusterConnection> = {}) {
    const { api, seen, sockets } = await standIn(reply, more);
    const events: WatchEvent<KubeObject>[] = [];
    const end = await api.watch<KubeObject>(
      nodeClaims,
      { resourceVersion: '5', labelSelector: 'a=b' },
      (event) => void events.push(event),
      never,
    );
    await expect.poll(() => sockets.size).toBe(0);
    return { events, end, seen };
  }

  it('brings changes and bookmarks, and ends when the server ends it', async () => {
    const { events, end, seen } = await watched((response) => {
      response.write(line('ADDED', claim('a')) + line('MODIFIED', claim('a', '8')) + line('DELETED', claim('a', '9')));
      response.end(line('BOOKMARK', { kind: 'NodeClaim', metadata: { resourceVersion: '12' } }));
    });
    expect(
      events.map((event) => [
        event.type,
        event.type === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion,
      ]),
    ).toEqual([
      ['added', '7'],
      ['modified', '8'],
      ['deleted', '9'],
      ['bookmark', '12'],
    ]);
    expect(end).toEqual({ end: 'closed' });
    expect(seen[0]?.url).toBe(
      '/apis/karpenter.sh/v1/nodeclaims?watch=true&allowWatchBookmarks=true&timeoutSeconds=290&resourceVersion=5&labelSelector=a%3Db',
    );
  });

  it.each<[string, Reply, object]>([
    [
      'an ERROR event with 410',
      (r) => void r.write(line('ERROR', status(410, { reason: 'Expired' }))),
      { end: 'expired' },
    ],
    ['an answer with 410', json(410, status(410)), { end: 'expired' }],
    [
      'another ERROR event',
      (r) => void r.write(line('ERROR', status(500, { message: 'etcd' }))),
      { end: 'failed', message: expect.stringContaining('etcd') },
    ],
    ['a line that is no event', (r) => void r.write('<html>\n'), { end: 'failed' }],
    ['an event without an object', (r) => void r.write('{"type":"ADDED"}\n'), { end: 'failed' }],
    ['an unknown event', (r) => void r.write(line('constructor', claim('a'))), { end: 'failed' }],
    ['a throttled answer', json(429, status(429), { 'retry-after': '4' }), { end: 'failed', retryAfterSeconds: 4 }],
    [
      'a refused answer',
      json(403, status(403, { message: 'no' })),
      { end: 'failed', message: expect.stringContaining('no') },
    ],
    ['a line that breaks', (r) => void r.write('{"ty', () => r.destroy()), { end: 'failed' }],
  ])('ends on %s, and leaves no connection behind', async (_name, reply, expected) => {
    const { end } = await watched(reply);
    expect(end).toMatchObject(expected);
  });

  it('ends on silence, and leaves no connection behind', async () => {
    const { end } = await watched((response) => response.writeHead(200).flushHeaders(), { watchSilenceMs: 100 });
    expect(end).toMatchObject({ end: 'closed' });
  });

  it('hands on what its handler throws, and drops the connection', async () => {
    const { api, sockets } = await standIn((response) => void response.write(line('ADDED', claim('a'))));
    const bug = new Error('bug');
    await expect(api.watch(nodeClaims, { resourceVersion: '5' }, () => Promise.reject(bug), never)).rejects.toBe(bug);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('ends when the caller wants it to', async () => {
    const stop = new AbortController();
    const { api, sockets } = await standIn((response) => void response.write(line('ADDED', claim('a'))));
    const end = await api.watch(nodeClaims, { resourceVersion: '5' }, () => stop.abort(), stop.signal);
    expect(end).toEqual({ end: 'closed' });
    await expect.poll(() => sockets.size).toBe(0);
  });
});
