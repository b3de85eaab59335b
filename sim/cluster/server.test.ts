/** What only the simulator promises: persistence, bounds, and what happens at its edges. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countingIds, manualClock, seededRandom } from '../../shared/base/runtime.ts';
import { TestClient } from '../../test/conformance/cluster/api/client.ts';
import {
  aClaim,
  aConfigMap,
  claims,
  configMaps,
  definitions,
  nodes,
} from '../../test/conformance/cluster/api/objects.ts';
import { type ClusterApi, type ClusterApiOptions, kubeconfigFor, startClusterApi } from './server.ts';

let folder = '';
let running: ClusterApi[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-cluster-'));
});

afterEach(async () => {
  for (const api of running) await api.close();
  running = [];
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<ClusterApiOptions> = {}): Promise<{ api: ClusterApi; client: TestClient }> {
  const api = await startClusterApi({ file: ':memory:', port: 0, ...options });
  running.push(api);
  return { api, client: new TestClient(api) };
}

async function stop(api: ClusterApi): Promise<void> {
  running = running.filter((one) => one !== api);
  await api.close();
}

describe('after a restart', () => {
  test('objects, versions and the identity of the cluster are as before', async () => {
    const file = join(folder, 'cluster.db');
    const first = await start({ file });
    const { body: claim } = await first.client.post(claims, aClaim('a'));
    await first.client.post(claims, aClaim('b'));
    await first.client.delete(`${claims}/b`);
    const before = (await first.client.get(claims)).body;
    await stop(first.api);

    const second = await start({ file });
    expect((await second.client.get(claims)).body).toEqual(before);
    expect(second.api.kubeSystemUid).toBe(first.api.kubeSystemUid);
    const { body: next } = await second.client.post(claims, aClaim('c'));
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect((await second.client.get(`${claims}/a`)).body).toEqual(claim);
  });

  test('a watch from an older version is Expired, one from the present is not', async () => {
    const file = join(folder, 'cluster.db');
    const first = await start({ file });
    const { body: old } = await first.client.post(claims, aClaim('a'));
    await first.client.post(claims, aClaim('b'));
    await stop(first.api);

    const { client } = await start({ file });
    const gone = await client.watch(`${claims}?watch=true&resourceVersion=${old.metadata.resourceVersion}`);
    expect(await gone.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
    const { resourceVersion } = (await client.get(claims)).body.metadata;
    const watch = await client.watch(`${claims}?watch=true&resourceVersion=${resourceVersion}`);
    await client.post(claims, aClaim('c'));
    expect((await watch.next())?.object.metadata.name).toBe('c');
    watch.stop();
  });

  test('kinds that were defined are still served', async () => {
    const file = join(folder, 'cluster.db');
    const first = await start({ file });
    const { body: definition } = await first.client.get(`${definitions}/simnodeclasses.poolwright.dev`);
    const { openAPIV3Schema } = definition.spec.versions[0].schema;
    await first.client.post(definitions, {
      metadata: { name: 'things.test.dev' },
      spec: {
        group: 'test.dev',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    await stop(first.api);
    const { client } = await start({ file });
    expect((await client.get('/apis/test.dev/v1/things')).body.kind).toBe('ThingList');
  });

  test('a page of a list from before is Expired, with a token to go on without consistency', async () => {
    const file = join(folder, 'cluster.db');
    const first = await start({ file });
    for (const name of ['a', 'b', 'c']) await first.client.post(claims, aClaim(name));
    const { body: page } = await first.client.get(`${claims}?limit=1`);
    expect(page.metadata.remainingItemCount).toBe(2);
    await stop(first.api);
    const { client } = await start({ file });
    const { code, body } = await client.get(`${claims}?limit=5&continue=${page.metadata.continue}`);
    expect([code, body.reason]).toEqual([410, 'Expired']);
    const rest = await client.get(`${claims}?limit=5&continue=${body.metadata.continue}`);
    expect(rest.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['b', 'c']);
  });
});

test('a server that is closed can be closed again', async () => {
  const api = await startClusterApi({ file: ':memory:', port: 0 });
  await api.close();
  await expect(api.close()).resolves.toBeUndefined();
});

test('a second process on the same file is refused with the reason', async () => {
  const file = join(folder, 'cluster.db');
  await start({ file });
  await expect(startClusterApi({ file, port: 0 })).rejects.toThrow(
    /another process holds the database .* Stop the other process/,
  );
});

test('a watch from before the kept history is Expired', async () => {
  const { client } = await start({ history: { events: 3, characters: 1e6 } });
  const { body: first } = await client.post(claims, aClaim('a'));
  for (const name of ['b', 'c', 'd', 'e']) await client.post(claims, aClaim(name));
  const watch = await client.watch(`${claims}?watch=true&resourceVersion=${first.metadata.resourceVersion}`);
  const event = await watch.next();
  expect(event).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  expect(event?.object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
});

test('watches that ask for bookmarks get them, with a version to go on from', async () => {
  const { client } = await start({ bookmarkMilliseconds: 20 });
  const { body } = await client.post(claims, aClaim('a'));
  const from = body.metadata.resourceVersion;
  const watch = await client.watch(`${claims}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`);
  const mark = await watch.next();
  expect(mark).toMatchObject({
    type: 'BOOKMARK',
    object: { kind: 'NodeClaim', apiVersion: 'karpenter.sh/v1', metadata: { resourceVersion: from } },
  });
  watch.stop();
});

test('a watcher that does not read is cut off instead of filling memory', async () => {
  const { api, client } = await start();
  const silent = await new Promise<IncomingMessage>((resolve, reject) => {
    const path = `${configMaps}?watch=true&resourceVersion=0`;
    request({ port: api.port, host: '127.0.0.1', path, agent: false }, resolve).on('error', reject).end();
  });
  silent.pause();
  await client.post(configMaps, aConfigMap('big'));
  const big = 'x'.repeat(2_000_000);
  const writes = 25;
  for (let i = 0; i < writes; i++) await client.merge(`${configMaps}/big`, { data: { a: `${i}${big}` } });
  let bytes = 0;
  silent.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const cut = await new Promise<Error | undefined>((resolve) => {
    silent.on('error', resolve);
    silent.on('end', () => resolve(undefined));
    silent.resume();
  });
  expect(cut?.message).toBe('aborted');
  expect(bytes).toBeLessThan(writes * big.length);
  expect((await client.get('/readyz')).code).toBe(200);
});

test('requests under another name than loopback are refused', async () => {
  const { api } = await start();
  const codeFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port: api.port, host: '127.0.0.1', path: '/api', headers: { host }, agent: false };
      request(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  expect(await codeFor('evil.example:80')).toBe(403);
  expect(await codeFor('127.0.0.1.evil.example')).toBe(403);
  expect(await codeFor(`localhost:${api.port}`)).toBe(200);
  expect(await codeFor('[::1]:80')).toBe(200);
});

test('a namespace takes its content with it, and waits for finalizers', async () => {
  const { client } = await start();
  const inside = '/api/v1/namespaces/team/configmaps';
  await client.post('/api/v1/namespaces', { metadata: { name: 'team' } });
  await client.post(inside, aConfigMap('free'));
  await client.post(inside, { ...aConfigMap('held'), metadata: { name: 'held', finalizers: ['a.b/c'] } });
  const { body } = await client.delete('/api/v1/namespaces/team');
  expect(body.status.phase).toBe('Terminating');
  expect((await client.get(`${inside}/free`)).code).toBe(404);
  expect((await client.post(inside, aConfigMap('late'))).code).toBe(403);
  await client.merge(`${inside}/held`, { metadata: { finalizers: null } });
  expect((await client.get('/api/v1/namespaces/team')).code).toBe(404);
});

test('a definition takes its objects with it, and the kind is no longer served', async () => {
  const { client } = await start();
  await client.post(claims, aClaim('a', { finalizers: ['a.b/c'] }));
  await client.post(claims, aClaim('b'));
  expect((await client.delete(`${definitions}/nodeclaims.karpenter.sh`)).code).toBe(200);
  expect((await client.get(`${claims}/b`)).code).toBe(404);
  await client.merge(`${claims}/a`, { metadata: { finalizers: null } });
  expect((await client.get(`${definitions}/nodeclaims.karpenter.sh`)).code).toBe(404);
  expect((await client.get(claims)).code).toBe(404);
});

test('time, ids and chance come from outside', async () => {
  const make = () =>
    start({ clock: manualClock(Date.UTC(2026, 4, 1)), ids: countingIds(), random: seededRandom(7) }).then(
      ({ client }) => client.post(claims, aClaim('', { name: undefined, generateName: 'g-' })),
    );
  const [one, other] = [await make(), await make()];
  expect(one.body).toEqual(other.body);
  expect(one.body.metadata.creationTimestamp).toBe('2026-05-01T00:00:00Z');
});

test('the store serves code in the same process, with the same refusals', async () => {
  const { api, client } = await start();
  const { store } = api;
  const ref = { apiVersion: 'v1', plural: 'nodes' };
  await store.create(ref, { metadata: { name: 'n', labels: { a: 'b' } } });
  await store.patch({ ...ref, name: 'n' }, 'merge', { spec: { unschedulable: true } });
  expect((await client.get(`${nodes}/n`)).body.spec.unschedulable).toBe(true);
  expect((await store.list(ref, { labelSelector: 'a=b' })).items).toHaveLength(1);
  await expect(store.get({ ...ref, name: 'x' })).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
  await store.delete({ ...ref, name: 'n' });
  expect((await client.get(`${nodes}/n`)).code).toBe(404);
});

test('the kubeconfig names the server and its one context', () => {
  const text = kubeconfigFor('http://127.0.0.1:1234');
  expect(text).toContain('server: http://127.0.0.1:1234');
  expect(text).toContain('current-context: poolwright-sim');
});
