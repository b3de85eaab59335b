/** A host that serves one cluster, and a kubeconfig that leads to another one with a claim of the same name. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostApi } from '../../cli/reach/host-api.ts';
import { whichCluster } from '../../cli/reach/which-cluster.ts';
import { ok } from '../../shared/base/result.ts';
import { type ClusterApi, namespaces } from '../../shared/kube/contract.ts';
import { type ClusterWorld, clusterWorld } from './cluster-world.ts';

let world: ClusterWorld;
let server: Server;
let host: string[];
let uid: string;

beforeAll(async () => {
  world = await clusterWorld();
  await world.claim('web');
  const system = await world.api.get(namespaces, { name: 'kube-system' });
  uid = system.ok ? system.value.metadata.uid : '';
  server = createServer(({ url }, answer) => {
    const items = [{ name: 'sim', uid: 'another' }, { name: 'east', uid }, { name: 'far' }];
    answer.setHeader('content-type', 'application/json');
    answer.statusCode = url === '/v1/clusters' ? 200 : 404;
    answer.end(
      JSON.stringify(url === '/v1/clusters' ? { items } : { type: 'x:unknown-claim', detail: 'no such claim' }),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const token = join(mkdtempSync(join(tmpdir(), 'poolwright-two-')), 'token');
  writeFileSync(token, 'secret-token-of-a-test');
  host = ['--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, '--token-file', token];
});

afterAll(async () => {
  server.close();
  await world.close();
});

describe('--cluster and a kubeconfig of another cluster', () => {
  it.each([
    ['get', 'claims'],
    ['explain', 'web'],
    ['trace', 'web'],
  ])('stop %s %s with an error that names both', async (...words) => {
    const { code, out, err } = await world.run(...words, '--cluster', 'sim', ...host);
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err).toContain("The kubeconfig does not lead to the host's cluster sim, but to the host's cluster east");
  });

  it('go together where they are the same one', async () => {
    const { code, out } = await world.run('get', 'claims', '-o', 'name', '--cluster', 'east', ...host);
    expect({ code, out: out.includes('web') }).toEqual({ code: 0, out: true });
  });

  it('are not taken for the same as long as the host has not reached its own', async () => {
    const { code, err } = await world.run('get', 'claims', '--cluster', 'far', ...host);
    expect(code).not.toBe(0);
    expect(err).toContain('The host has not reached its cluster far yet');
  });
});

it('--cluster alone is enough where nobody can read the uid', async () => {
  const api = { ask: async () => ({ items: [{ name: 'sim', uid: 'a' }] }) } as unknown as HostApi;
  const cluster = (kubeUid: string) =>
    ({ get: async () => ok({ metadata: { uid: kubeUid } }) }) as unknown as ClusterApi;
  expect(await whichCluster(api, undefined, 'sim')).toBe('sim');
  expect(await whichCluster(api, cluster('a'), 'sim')).toBe('sim');
  await expect(whichCluster(api, cluster('b'), 'sim')).rejects.toThrow(/omit --cluster/);
});
