/** Static pools in a whole simulated world: that many nodes are kept, whatever happens. */
import { describe, expect, it } from 'vitest';
import { staticPools } from '../../functions/reconcilers/static-pools.ts';
import { failed } from '../../shared/base/result.ts';
import { type ClusterApi, nodePools, pods } from '../../shared/kube/contract.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { clusterName, conditionStatus } from '../nodes/world.ts';
import { conditionOfPool, type PoolWorld, usePoolWorld } from './pool-world.ts';

const open = usePoolWorld();
const names = (claims: { metadata: { name: string } }[]): string[] =>
  claims.map(({ metadata }) => metadata.name).sort();

describe('a static pool', () => {
  it('gets its replicas as claims made from its template, and they become nodes', async () => {
    const world = await open();
    const pool = await world.createPool(
      'workers',
      {},
      { metadata: { labels: { team: 'web' }, annotations: { note: 'hello' } } },
    );
    await world.live(120);
    const claims = await world.alive('workers');
    expect(claims).toHaveLength(3);
    for (const claim of claims) {
      expect(claim.metadata.name).toMatch(/^workers-[a-z0-9]{8}$/);
      expect(claim.metadata.labels).toMatchObject({
        team: 'web',
        'karpenter.sh/nodepool': 'workers',
        'poolwright.dev/simnodeclass': 'default',
      });
      expect(claim.metadata.annotations).toMatchObject({
        note: 'hello',
        'karpenter.sh/nodepool-hash': expect.any(String),
        'karpenter.sh/nodepool-hash-version': 'poolwright-1',
      });
      expect(claim.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: 'workers',
          uid: pool.metadata.uid,
          blockOwnerDeletion: true,
        },
      ]);
      expect(conditionStatus(claim, 'Ready')).toBe('True');
    }
    expect(world.cloud.living).toBe(3);
    const now = await world.pool('workers');
    expect(now.status).toMatchObject({
      nodes: 3,
      resources: { cpu: '6', nodes: '3' },
      nodeClassObservedGeneration: 1,
    });
    for (const type of ['ValidationSucceeded', 'NodeClassReady', 'Ready', 'NodeRegistrationHealthy']) {
      expect(conditionOfPool(now, type)).toMatchObject({ status: 'True', observedGeneration: 1 });
    }
  });

  it('is scaled up and down, and to nothing', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    await world.live(60);
    const [first] = await world.alive('workers');
    await world.scale('workers', 4);
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(4);
    await world.scale('workers', 2);
    await world.live(60);
    expect(names(await world.claims())).toContain(first?.metadata.name);
    expect(await world.claims()).toHaveLength(2);
    await world.scale('workers', 0);
    await world.live(60);
    expect(await world.claims()).toEqual([]);
    expect(world.cloud.living).toBe(0);
    expect((await world.pool('workers')).status?.nodes).toBe(0);
  });

  it('with more replicas than the host allows says so, and neither makes nor removes claims', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    await world.live(60);
    await world.scale('workers', 1_000_000_000);
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(2);
    expect(conditionOfPool(await world.pool('workers'), 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/spec\.replicas: 1000000000 is more than the 10000 nodes/),
    });
    expect(conditionOfPool(await world.pool('workers'), 'Ready')).toMatchObject({ status: 'False' });
  });

  it('makes no claims beyond the cap of the cluster, and says so', async () => {
    const world = await open({ cluster: { maxInstances: 3 } });
    await world.createPool('workers', { replicas: 5000 });
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(3);
    const told = await world.eventsOf('workers');
    expect(told.map(({ reason }) => reason)).toContain('NodeLimitReached');
  });

  it('makes no claims beyond the cap together with other pools, however many there are, and grows when others shrink', async () => {
    const world = await open({ cluster: { maxInstances: 6 } });
    for (let index = 0; index < 8; index++) await world.createPool(`pool-${index}`, { replicas: 4 });
    await world.live(60);
    expect(await world.claims()).toHaveLength(6);
    const held = [];
    for (let index = 0; index < 8; index++) held.push(...(await world.eventsOf(`pool-${index}`)));
    expect(held.filter(({ reason }) => reason === 'NodeLimitReached').length).toBeGreaterThanOrEqual(6);
    for (let index = 0; index < 7; index++) await world.scale(`pool-${index}`, 0);
    await world.live(120);
    expect(await world.alive('pool-7')).toHaveLength(4);
  });

  it('is not kept from growing by claims of users that can never have an instance', async () => {
    const world = await open({ cluster: { maxInstances: 3 } });
    const impossible = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['there-is-no-such-type'] }];
    for (let index = 0; index < 6; index++) await world.createClaim(`user-${index}`, { requirements: impossible });
    await world.live(30);
    await world.createPool('workers', { replicas: 3 });
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(3);
  });

  it('is looked at again soon while its claims come or go, once however many ask, and not when it is at rest', async () => {
    const world = await open();
    await world.createPool('workers');
    await world.reconcilePools();
    await world.reconcilePools();
    expect((await world.services.events.stats()).delayed).toBe(1);
    await world.live(120);
    const { delayed } = await world.services.events.stats();
    await world.live(60);
    expect((await world.services.events.stats()).delayed).toBe(delayed);
  });

  it('writes nothing when nothing is to be done', async () => {
    const world = await open();
    await world.createPool('workers');
    await world.live(120);
    const version = world.cluster.store.objects.resourceVersion;
    await world.reconcileNodeClasses();
    await world.reconcilePools();
    await world.expire();
    expect(world.cluster.store.objects.resourceVersion).toBe(version);
  });

  it('replaces nodes whose machines vanished, so that a cluster without any node comes back by itself', async () => {
    const faults = [{ on: 'create' as const, count: 3, do: { kind: 'vanish' as const, afterSeconds: 100 } }];
    const world = await open({ cloud: { faults, nodeLostSeconds: 10 } });
    await world.createPool('workers');
    await world.live(60);
    const before = new Set((await world.claims()).map(({ metadata }) => metadata.uid));
    expect(world.cloud.living).toBe(3);
    world.clock.advance(120_000);
    await world.cloud.settle();
    expect(world.cloud.living).toBe(0);
    await world.collectGarbage();
    await world.live(61);
    await world.collectGarbage();
    await world.live(120);
    const claims = await world.claims();
    expect(claims).toHaveLength(3);
    expect(claims.every((claim) => conditionStatus(claim, 'Ready') === 'True')).toBe(true);
    expect(claims.some(({ metadata }) => before.has(metadata.uid))).toBe(false);
    expect(world.cloud.living).toBe(3);
    expect(await world.nodes()).toHaveLength(3);
  });

  it('never gives the name of a claim that is gone to another one, however it went', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    const uids = new Map<string, string>();
    const note = async (): Promise<void> => {
      for (const { metadata } of await world.claims()) {
        expect(uids.get(metadata.name) ?? metadata.uid).toBe(metadata.uid);
        uids.set(metadata.name, metadata.uid);
      }
    };
    for (const happens of [
      async () => world.deleteClaim((await world.alive())[0]!.metadata.name),
      () => world.scale('workers', 0),
      () => world.scale('workers', 3),
      () => world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } }),
    ]) {
      for (let round = 0; round < 10; round++) {
        await world.live(20);
        await note();
      }
      await happens();
    }
    expect(uids.size).toBeGreaterThanOrEqual(6);
  });

  it('replaces drifted nodes one by one, the new one first', async () => {
    const world = await open();
    await world.createPool('workers');
    await world.live(120);
    const before = names(await world.claims());
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } });
    const ready = async (): Promise<number> =>
      (await world.nodes()).filter(
        ({ status, metadata }) =>
          metadata.deletionTimestamp === undefined &&
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      ).length;
    for (let round = 0; round < 20; round++) {
      await world.live(20);
      expect((await world.alive('workers')).length).toBeLessThanOrEqual(4);
      expect(await ready()).toBeGreaterThanOrEqual(3);
    }
    const after = await world.claims();
    expect(after).toHaveLength(3);
    expect(after.every(({ metadata }) => metadata.labels?.team === 'new')).toBe(true);
    expect(before).toHaveLength(3);
    expect((await world.eventsOf('workers')).map(({ reason }) => reason)).toContain('Replacing');
  });

  it('says on its claims that they have drifted, once, and takes it back when it is no longer so', async () => {
    const world = await open();
    await world.createPool('workers', {
      replicas: 1,
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] },
    });
    await world.live(60);
    const drifted = async () =>
      (await world.alive('workers')).map(({ status, metadata: { resourceVersion } }) => ({
        resourceVersion,
        condition: status?.conditions?.find(({ type }) => type === 'Drifted'),
      }));
    expect((await drifted())[0]?.condition).toBeUndefined();
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } });
    await world.reconcilePools();
    const first = await drifted();
    expect(first[0]?.condition).toMatchObject({ status: 'True', reason: 'NodePoolDrifted', observedGeneration: 1 });
    await world.live(60);
    expect(await drifted()).toEqual(first);
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: null } } } } });
    await world.reconcilePools();
    const [claim] = await world.alive('workers');
    expect(claim?.status?.conditions?.map(({ type }) => type).sort()).toEqual([
      'Initialized',
      'Launched',
      'Ready',
      'Registered',
    ]);
  });

  it('replaces nothing outside of its budget, and says what it waits for', async () => {
    const world = await open();
    await world.createPool('workers', { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } });
    await world.live(120);
    const before = names(await world.claims());
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } });
    await world.live(120);
    expect(names(await world.claims())).toEqual(before);
    expect(await world.eventsOf('workers')).toContainEqual(
      expect.objectContaining({
        reason: 'DisruptionBlocked',
        message: expect.stringMatching(/3 of 3 nodes are outdated/),
      }),
    );
  });

  it('follows a change of its node class, when machines would be made differently now', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    await world.live(100);
    await world.api.mergePatch(world.nodeClasses, { name: 'default' }, { spec: { image: 'newer' } });
    await world.live(240);
    const [claim, ...more] = await world.claims();
    expect(more).toEqual([]);
    expect(claim?.status?.imageID).toBe('newer');
  });

  it('replaces expired nodes, the new one first', async () => {
    const world = await open();
    const { group, kind } = world.nodeClasses;
    const spec = { nodeClassRef: { group, kind, name: 'default' }, requirements: [], expireAfter: '1h' };
    await world.createPool('workers', { replicas: 1 }, { spec });
    await world.live(100);
    const [old] = await world.claims();
    world.clock.advance(3_600_000);
    await world.live(120);
    const claims = await world.claims();
    expect(claims).toHaveLength(1);
    expect(claims[0]?.metadata.uid).not.toBe(old?.metadata.uid);
    expect(await world.eventsOf(old?.metadata.name ?? '')).toContainEqual(
      expect.objectContaining({ reason: 'Expired' }),
    );
  });

  it('keeps to limits.nodes and says so', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 5, limits: { nodes: '2' } });
    await world.live(100);
    expect(await world.claims()).toHaveLength(2);
    expect(await world.eventsOf('workers')).toContainEqual(expect.objectContaining({ reason: 'NodeLimitReached' }));
  });

  it('makes nothing while paused, by its annotation or for the whole cluster', async () => {
    const world = await open();
    await world.createPool('workers');
    await world.patchPool('workers', { metadata: { annotations: { 'poolwright.dev/paused': 'true' } } });
    await world.live(60);
    expect(await world.claims()).toEqual([]);
    await pause(world.services, { kind: 'cluster', name: 'test' }, 'maintenance');
    await world.patchPool('workers', { metadata: { annotations: { 'poolwright.dev/paused': null } } });
    await world.live(60);
    expect(await world.claims()).toEqual([]);
  });

  it('is left alone where another deployment acts', async () => {
    const standing = { acts: false, reason: 'NotOwner', why: 'another one holds the Lease' } as const;
    const world = await open({ ownership: { standing: async () => standing, renew: async () => standing } });
    const pool = await world.createPool('workers');
    await world.reconcileNodeClasses();
    await world.reconcilePools();
    await world.expire();
    expect(await world.claims()).toEqual([]);
    expect((await world.pool('workers')).metadata.resourceVersion).toBe(pool.metadata.resourceVersion);
  });

  it('does not make claims for a class that is not there, and goes on when it comes', async () => {
    const world = await open();
    await world.patchPool((await world.createPool('workers')).metadata.name, {
      spec: { template: { spec: { nodeClassRef: { name: 'later' } } } },
    });
    await world.live(60);
    expect(await world.claims()).toEqual([]);
    expect(conditionOfPool(await world.pool('workers'), 'NodeClassReady')).toMatchObject({
      status: 'False',
      reason: 'NodeClassNotFound',
    });
    await world.createNodeClass('later');
    await world.live(60);
    expect(await world.claims()).toHaveLength(3);
  });

  it('of claims that can not be had pauses longer and longer, and says why', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 }, {});
    await world.cloud.setFaults([{ on: 'create', do: { kind: 'sold-out' } }]);
    const uids = new Set<string>();
    for (let second = 0; second < 1800; second += 30) {
      await world.reconcilePools();
      for (const { metadata } of await world.claims()) uids.add(metadata.uid);
      await world.pass(30, 15);
    }
    expect(uids.size).toBeGreaterThan(3);
    expect(uids.size).toBeLessThan(16);
    expect(conditionOfPool(await world.pool('workers'), 'NodeRegistrationHealthy')).toMatchObject({
      status: 'False',
      reason: 'InsufficientCapacity',
      message: expect.stringMatching(/attempts in a row.*workers-.*out of capacity/),
    });
    await world.cloud.setFaults([]);
    await world.live(600);
    expect(conditionOfPool(await world.pool('workers'), 'NodeRegistrationHealthy')).toMatchObject({ status: 'True' });
  });
});

describe('a static pool with a mistake', () => {
  it('in a budget is filled all the same, and replaces nothing', async () => {
    const world = await open();
    const budgets = [{ nodes: '100%' }, { nodes: '1', schedule: '99 99 * * *', duration: '1h' }];
    await world.createPool('workers', { disruption: { consolidateAfter: '0s', budgets } });
    await world.live(60);
    const before = names(await world.alive('workers'));
    expect(before).toHaveLength(3);
    expect(conditionOfPool(await world.pool('workers'), 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/budgets\[1\].*99 99/),
    });
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } });
    await world.live(60);
    expect(names(await world.claims())).toEqual(before);
  });

  it.each([
    ['its own name', 'w'.repeat(64), 'default'],
    ['the name of its class', 'workers', 'c'.repeat(64)],
  ])('of %s, which is too long for a label, says so and makes nothing', async (_, name, className) => {
    const world = await open();
    const { group, kind } = world.nodeClasses;
    if (className !== 'default') await world.createNodeClass(className);
    const spec = { nodeClassRef: { group, kind, name: className }, requirements: [], expireAfter: 'Never' };
    await world.createPool(name, {}, { spec });
    await world.live(60);
    expect(await world.claims()).toEqual([]);
    expect(conditionOfPool(await world.pool(name), 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/name.*64 characters/),
    });
  });

  it('but a name as long as a label may be has its nodes', async () => {
    const world = await open();
    const name = `${'w'.repeat(50)}.${'x'.repeat(12)}`;
    await world.createPool(name);
    await world.live(60);
    expect((await world.pool(name)).status?.nodes).toBe(3);
  });
});

describe('a cluster without the kind NodePool', () => {
  it('is told of now and then, not at every look', async () => {
    const lines: string[] = [];
    const world = await open({ logTo: (line) => void lines.push(line) });
    const api = Object.create(world.api) as ClusterApi;
    api.list = (resource, ...rest) =>
      resource === nodePools
        ? Promise.resolve(failed('unavailable', 'it serves no such kind'))
        : world.api.list(resource, ...rest);
    const cluster = { ...world.clusterServices, api };
    const services = { ...world.services, cluster: () => cluster };
    for (let minute = 0; minute < 40; minute++) {
      await staticPools.run(services, clusterName, new AbortController().signal);
      world.clock.advance(60_000);
    }
    expect(lines.filter((line) => line.includes('pool.failed'))).toHaveLength(2);
  });
});

describe('a dynamic pool', () => {
  it('gets its conditions and no claims', async () => {
    const world = await open();
    const { group, kind } = world.nodeClasses;
    await world.api.create(
      { group: 'karpenter.sh', version: 'v1', plural: 'nodepools', kind: 'NodePool', namespaced: false },
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'dynamic' },
        spec: { template: { spec: { nodeClassRef: { group, kind, name: 'default' }, requirements: [] } } },
      },
    );
    await world.live(60);
    expect(await world.claims()).toEqual([]);
    expect(conditionOfPool(await world.pool('dynamic'), 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('pods on the nodes of a pool', () => {
  async function aPod(world: PoolWorld, name: string, node: string | undefined, annotations = {}): Promise<void> {
    const made = await world.api.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', annotations },
      spec: { nodeName: node ?? '', containers: [{ name: 'c', image: 'i' }] },
    });
    expect(made.ok).toBe(true);
  }

  it('decide which node goes when the pool gets smaller: the empty one', async () => {
    const world = await open();
    await world.createPool('workers');
    await world.live(60);
    const [a, b, c] = await world.alive('workers');
    await aPod(world, 'one', a?.status?.nodeName);
    await aPod(world, 'two', c?.status?.nodeName);
    await world.scale('workers', 2);
    await world.reconcilePools();
    expect(names(await world.alive('workers'))).toEqual([a, c].map((claim) => claim?.metadata.name).sort());
    expect(b?.metadata.name).toBeDefined();
  });

  it('that ask not to be disrupted keep a drifted node until they are gone', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    await world.live(60);
    const [claim] = await world.alive('workers');
    await aPod(world, 'precious', claim?.status?.nodeName, { 'karpenter.sh/do-not-disrupt': 'true' });
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } });
    await world.live(100);
    expect(names(await world.claims())).toEqual([claim?.metadata.name]);
    expect(await world.eventsOf('workers')).toContainEqual(
      expect.objectContaining({ reason: 'DisruptionBlocked', message: expect.stringMatching(/do-not-disrupt/) }),
    );
    await world.api.delete(pods, { namespace: 'default', name: 'precious' }, { gracePeriodSeconds: 0 });
    await world.live(200);
    expect((await world.claims()).map(({ metadata }) => metadata.labels?.team)).toEqual(['new']);
  });
});
