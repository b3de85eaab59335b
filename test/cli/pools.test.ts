/** Pools and node classes at the command line, from a cluster alone: no host is asked. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodePools } from '../../shared/kube/contract.ts';
import { type ClusterWorld, clusterWorld, present } from './cluster-world.ts';

const simNodeClasses = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};
const at = '2026-03-04T05:05:00Z';
const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
});

let world: ClusterWorld;
beforeEach(async () => {
  world = await clusterWorld();
  vi.useFakeTimers({ now: present, toFake: ['Date'] });
  const made = await world.api.create(simNodeClasses, {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'SimNodeClass',
    metadata: { name: 'default' },
    spec: {},
  });
  if (!made.ok) throw new Error(made.error.message);
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

async function addPool(name: string, status: { [field: string]: Json }): Promise<void> {
  const made = await world.api.create(nodePools, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      replicas: 3,
      template: {
        spec: {
          nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
          requirements: [],
          expireAfter: 'Never',
        },
      },
    },
  });
  if (!made.ok) throw new Error(made.error.message);
  const written = await world.api.mergePatch(nodePools, { name }, { status }, { subresource: 'status' });
  if (!written.ok) throw new Error(written.error.message);
}

const failing = {
  nodes: 0,
  conditions: [
    condition('ValidationSucceeded', 'True', 'ValidationSucceeded'),
    condition('NodeClassReady', 'True', 'NodeClassReady'),
    condition('NodeRegistrationHealthy', 'False', 'NoInstanceTypeFits', 'no instance type fits'),
    condition('Ready', 'False', 'UnhealthyDependents', 'NodeRegistrationHealthy=False'),
  ],
};

it('a failing pool is in get, in top, and named where there are no claims', async () => {
  await addPool('workers', failing);

  const pools = await world.run('get', 'pools');
  expect(pools.out).toBe(
    'NAME      READY   NODES   NODECLASS              AGE   WHY\n' +
      'workers   False   0/3     SimNodeClass/default   90s   NoInstanceTypeFits: no instance type fits\n',
  );
  expect((await world.run('get', 'claims')).err).toBe(
    'No claims. Pool workers is not ready: poolwright explain pool/workers\n',
  );
  const top = await world.run('top');
  expect(top.out).toContain('Pools    0 of 1 ready, 1 not: workers 0/3 NoInstanceTypeFits');
  expect(top.out).toContain('Failures pool workers: NoInstanceTypeFits');
});

it('names are what kubectl accepts, and commands take them back', async () => {
  await addPool('workers', failing);
  await world.claim('web');
  for (const [kind, name] of [
    ['claims', 'nodeclaim.karpenter.sh/web'],
    ['pools', 'nodepool.karpenter.sh/workers'],
    ['nodeclasses', 'simnodeclass.poolwright.dev/default'],
  ] as const) {
    expect((await world.run('get', kind, '-o', 'name')).out).toBe(`${name}\n`);
    expect(await world.run('get', name, '-o', 'name')).toMatchObject({ code: 0, out: `${name}\n` });
  }
  for (const name of ['nodeclass/default', 'nodeclass/simnodeclass/default', 'simnodeclasses/default'])
    expect(await world.run('get', name, '-o', 'name')).toMatchObject({ out: 'simnodeclass.poolwright.dev/default\n' });
});

it('explain tells of a pool and of a node class without a host, and says that it was not asked', async () => {
  await addPool('workers', failing);
  const pool = await world.run('explain', 'pool/workers', '-d', '/nonexistent');
  expect(pool.out).toMatch(
    /^pool\/workers in cluster .*: 0 of 3 nodes, 1 min 30 s old\ncause {2}NoInstanceTypeFits: no/,
  );
  expect(pool.out.replace(/\s+/g, ' ')).toContain('The host was not queried');
  const nodeClass = await world.run('explain', 'simnodeclass/default', '-d', '/nonexistent', '--json');
  expect(JSON.parse(nodeClass.out)).toMatchObject({
    kind: 'SimNodeClass',
    pools: ['workers'],
    diagnosis: { cause: expect.stringContaining('no host has checked it yet') },
  });
});

it.each([
  [['explain', 'pool/worker'], /has no NodePool worker.*did you mean "workers"/s],
  [['explain', 'nodeclass/none'], /has no node class none/],
  [['get', 'pools', 'none'], /There is no NodePool "none"/],
  [['get', 'nodeclasses', 'none'], /Not found: "none"/],
])('%s is a failure that names what is missing', async (words, message) => {
  await addPool('workers', failing);
  const said = await world.run(...words, ...(words[0] === 'explain' ? ['-d', '/nonexistent'] : []));
  expect(said.code).toBe(1);
  expect(said.err).toMatch(message);
});
