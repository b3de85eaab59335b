/** The local host inside the test's own process: the same as the command starts, where it can be looked into. */

import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectClusters } from '../../../functions/hosts/common/cluster-services.ts';
import { type DataDirectory, openDataDirectory } from '../../../functions/hosts/local/data-directory.ts';
import { type LocalHost, startLocalHost } from '../../../functions/hosts/local/host.ts';
import { serveHttp } from '../../../functions/hosts/local/http-server.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { nodeClaims, type Resource } from '../../../shared/kube/contract.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { collectingLog, silentLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { conditionStatus } from '../../nodes/world.ts';
import { testContext } from '../../stand-ins/provider-context.ts';
import { temporaryDirectory, useProcesses, worldBeside } from './host-process.ts';

useProcesses();
const hosts: LocalHost[] = [];
const held: DataDirectory[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
  for (const directory of held.splice(0)) directory.release();
});

function configFrom(file: string) {
  const loaded = loadConfig(file, {}, {});
  if (!loaded.ok) throw new Error(loaded.text);
  return loaded.config;
}

async function start(file: string, path = temporaryDirectory()) {
  const directory = openDataDirectory(path);
  held.push(directory);
  const log = collectingLog();
  const host = await startLocalHost({ config: configFrom(file), directory, log, version: 'test' });
  if (!host.ok) throw new Error(host.error.message);
  hosts.push(host.value);
  return { host: host.value, log, directory };
}

const nodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};

describe('the local host', () => {
  it('takes a claim from its watch to Ready and back to nothing', async () => {
    const { world, config } = await worldBeside();
    const { host, log, directory } = await start(config);
    const [cluster] = host.services.clusters;
    const { api } = cluster!;
    const { group, version, kind } = nodeClasses;
    await api.create(nodeClasses, { apiVersion: `${group}/${version}`, kind, metadata: { name: 'default' }, spec: {} });
    await api.create(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'one' },
      spec: { nodeClassRef: { group, kind, name: 'default' }, requirements: [], resources: { requests: { cpu: '1' } } },
    });
    const look = async (enough: (claim: StoredClaim | undefined) => boolean): Promise<void> => {
      for (;;) {
        const got = await api.get<StoredClaim>(nodeClaims, { name: 'one' });
        if (enough(got.ok ? got.value : undefined)) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await look((claim) => conditionStatus(claim, 'Ready') === 'True');
    await api.delete(nodeClaims, { name: 'one' }, {});
    await look((claim) => claim === undefined);
    expect(world.cloud.living).toBe(0);

    const authorization = `Bearer ${directory.token()}`;
    const read = async (): Promise<string> =>
      (await fetch(`${host.url}/metrics`, { headers: { authorization } })).text();
    // The claim is gone a moment before the step that released it has ended.
    let metrics = await read();
    while (!/karpenter_nodeclaims_terminated_total\{[^}]*\} 1/.test(metrics)) metrics = await read();
    expect(metrics).toMatch(/karpenter_cloudprovider_duration_seconds_count\{[^}]*provider="sim"\}/);
    expect(metrics).toMatch(/poolwright_step_duration_seconds_count/);
    const ready = await fetch(`${host.url}/readyz`, { headers: { authorization } });
    expect(ready.status).toBe(200);
    await host.stop();
    await host.stop();
    expect(log.lines.filter(({ event }) => event === 'host.stopped')).toHaveLength(1);
    for (const { event } of log.lines) expect(event).not.toMatch(/failed|error/);
  });

  it('is not ready while a cluster is away, says which, and still answers for its health', async () => {
    // Port 9 is for discarding; nobody listens there.
    const { config } = await worldBeside({ clusters: { sim: { server: 'http://127.0.0.1:9' } } });
    const { host, directory } = await start(config);
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    const authorization = `Bearer ${directory.token()}`;
    const answer = await fetch(`${host.url}/readyz`, { headers: { authorization } });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('cluster sim');
  });

  it('is not ready when its data directory can not be written to', async () => {
    const { config } = await worldBeside();
    const { host, directory } = await start(config);
    rmSync(directory.file('write-check'), { force: true });
    // What can't be opened to write, as on a file system that has become read-only.
    mkdirSync(directory.file('write-check'));
    const authorization = `Bearer ${directory.token()}`;
    const answer = await fetch(`${host.url}/readyz`, { headers: { authorization } });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ checks: { 'data directory': { ok: false } } });
  });

  it('closes its stores when its port is taken', async () => {
    const taken = await serveHttp({ fetch: () => new Response() }, { host: '127.0.0.1', port: 0 }, silentLog);
    if (!taken.ok) throw new Error(taken.error.message);
    const { config } = await worldBeside({ http: { port: Number(new URL(taken.value.url).port) } });
    const path = temporaryDirectory();
    await expect(start(config, path)).rejects.toThrow(/in use/);
    await taken.value.close();
    // SQLite removes the file with the latest writes when the last connection to a database closes.
    const stores = readdirSync(path).filter((name) => /^(state|queue|journal)\.db/.test(name));
    expect(stores.sort()).toEqual(['journal.db', 'queue.db', 'state.db']);
  });

  it('closes its state, and opens nothing else, when a cluster can not be connected', async () => {
    const { config } = await worldBeside({ clusters: { sim: { kubeconfig: '/nowhere/kubeconfig' } } });
    const path = temporaryDirectory();
    await expect(start(config, path)).rejects.toThrow(/kubeconfig/);
    expect(readdirSync(path).filter((name) => name.includes('.db'))).toEqual(['state.db']);
  });

  it.each([
    [
      'a kubeconfig that is not there',
      { clusters: { sim: { kubeconfig: '/nowhere/kubeconfig' } } },
      /clusters\.sim\.kubeconfig.*nowhere/s,
    ],
  ])('says what is wrong with %s', async (_, more, says) => {
    const { config } = await worldBeside(more);
    const metrics = createMetrics();
    const parts = { ...testContext({ clock: systemClock }), config: configFrom(config), metrics, env: {} };
    const connected = await connectClusters(parts);
    expect(connected.ok ? '' : connected.error.message).toMatch(says);
  });
});

describe('the HTTP server', () => {
  const app = { fetch: () => new Response('hello') };

  it('refuses a page that made its own name point here', async () => {
    const served = await serveHttp(app, { host: '127.0.0.1', port: 0 }, silentLog);
    if (!served.ok) throw new Error(served.error.message);
    const { port } = new URL(served.value.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', headers: { host: `evil.example:${port}` } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.once('error', reject);
      asked.end();
    });
    expect(status).toBe(403);
    expect(await (await fetch(served.value.url)).text()).toBe('hello');
    const twice = await serveHttp(app, { host: '127.0.0.1', port: Number(port) }, silentLog);
    expect(twice.ok ? '' : twice.error.message).toMatch(/in use/);
    await served.value.close();
  });

  it.each([
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n'],
    ['a number as Host', 'GET / HTTP/1.1\r\nHost: 2130706433\r\n\r\n'],
    ['a hexadecimal Host', 'GET / HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n'],
    ['a target of another host', 'GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['a target that is not its Host', 'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('refuses %s', async (_, text) => {
    const served = await serveHttp(app, { host: '127.0.0.1', port: 0 }, silentLog);
    if (!served.ok) throw new Error(served.error.message);
    const socket = connect(Number(new URL(served.value.url).port), '127.0.0.1');
    socket.write(text);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 40[03] /);
    await served.value.close();
  });

  it('says why it can not listen', async () => {
    const served = await serveHttp(app, { host: '203.0.113.1', port: 0 }, silentLog);
    expect(served.ok ? '' : served.error.message).toContain('203.0.113.1');
  });
});
