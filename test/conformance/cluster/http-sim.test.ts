import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { seededRandom, systemClock } from '../../../shared/base/runtime.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import { nodeClaims } from '../../../shared/kube/contract.ts';
import { reflect } from '../../../shared/kube/reflector.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { type ClusterApiOptions, startClusterApi } from '../../../sim/cluster/server.ts';
import { clusterConformance } from './conformance.ts';

function connect(url: string) {
  return connectCluster({
    name: 'sim',
    url,
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 10_000,
    fieldManager: 'poolwright',
  });
}

async function start(more: Partial<ClusterApiOptions> = {}) {
  const server = await startClusterApi({ file: ':memory:', port: 0, ...more });
  const api = connect(server.url);
  return {
    server,
    api,
    close: async () => {
      api.close();
      await server.close();
    },
  };
}

clusterConformance('the simulated API server', start);

const claim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
});

describe('a watch against the simulated API server', () => {
  it('from a version that is too old is expired', async () => {
    const { api, close } = await start({ history: { events: 2, characters: 1_000_000 } });
    onTestFinished(close);
    const listed = await api.list(nodeClaims);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await api.create(nodeClaims, claim(name));
    const resourceVersion = listed.ok ? listed.value.resourceVersion : '';
    expect(await api.watch(nodeClaims, { resourceVersion }, () => undefined, AbortSignal.timeout(60_000))).toEqual({
      end: 'expired',
    });
  });

  it('gets bookmarks while nothing happens', async () => {
    const { api, close } = await start({ bookmarkMilliseconds: 10 });
    onTestFinished(close);
    const listed = await api.list(nodeClaims);
    const stop = new AbortController();
    const types: string[] = [];
    await api.watch(
      nodeClaims,
      { resourceVersion: listed.ok ? listed.value.resourceVersion : '' },
      (event) => {
        types.push(event.type);
        stop.abort();
      },
      stop.signal,
    );
    expect(types).toEqual(['bookmark']);
  });
});

/** Passes bytes on, and can cut every connection at any time, as networks do. */
async function brittleProxy(port: number) {
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut };
}

describe('a reflector behind a network that breaks all the time', () => {
  it.each([1, 2, 3])('ends up with exactly what is there (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    // A short memory makes the server answer 410 now and then, so that both ways back are used.
    const { server, api, close } = await start({
      history: { events: 20, characters: 1_000_000 },
      bookmarkMilliseconds: 5,
    });
    onTestFinished(close);
    const proxy = await brittleProxy(server.port);
    const watching = connect(proxy.url);
    onTestFinished(() => watching.close());

    const mirror = new Map<string, string>();
    const problems: string[] = [];
    const stop = new AbortController();
    const running = reflect({
      api: watching,
      resource: nodeClaims,
      onEvent: (change) => {
        if (change.type === 'deleted') {
          if (!mirror.has(change.name)) problems.push(`${change.name} was deleted without having been there`);
          mirror.delete(change.name);
          return;
        }
        const { name, uid } = change.object.metadata;
        if (change.type === 'added' && mirror.has(name)) problems.push(`${name} came twice`);
        if (mirror.has(name) && mirror.get(name) !== uid) problems.push(`${name} changed its uid without a deletion`);
        mirror.set(name, uid);
      },
      clock: systemClock,
      random,
      log: silentLog,
      signal: stop.signal,
      concurrency: seed,
      firstPauseMs: 1,
      longestPauseMs: 5,
    });
    onTestFinished(async () => {
      stop.abort();
      await running;
    });

    for (let step = 0; step < 200; step += 1) {
      const name = `claim-${Math.floor(random() * 15)}`;
      const dice = random();
      if (dice < 0.5) await api.create(nodeClaims, claim(name));
      else if (dice < 0.7) await api.mergePatch(nodeClaims, { name }, { metadata: { labels: { step: String(step) } } });
      else if (dice < 0.95) await api.delete(nodeClaims, { name }, {});
      else proxy.cut();
    }

    const listed = await api.list(nodeClaims, { limit: 1000 });
    const truth = new Map(listed.ok ? listed.value.items.map((item) => [item.metadata.name, item.metadata.uid]) : []);
    expect(truth.size).toBeGreaterThan(0);
    const sorted = (map: Map<string, string>): [string, string][] => [...map].sort(([a], [b]) => a.localeCompare(b));
    await expect.poll(() => sorted(mirror)).toEqual(sorted(truth));
    expect(problems).toEqual([]);
  });
});
