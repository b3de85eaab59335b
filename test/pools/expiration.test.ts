/** Claims whose time is over, and claims whose pool is gone. */
import { describe, expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { failed, ok } from '../../shared/base/result.ts';
import { type ClusterApi, nodeClaims, nodePools } from '../../shared/kube/contract.ts';
import { endClaims } from '../../shared/nodes/pools/end-of-claims.ts';
import { usePoolWorld } from './pool-world.ts';

const open = usePoolWorld();
const hour = 3_600_000;

describe('a claim of nobody', () => {
  it('is deleted when it is older than expireAfter, and not before', async () => {
    const world = await open();
    await world.createClaim('one', { expireAfter: '2h' });
    await world.createClaim('other', { expireAfter: 'Never' });
    await world.settle();
    world.clock.advance(hour);
    await world.expire();
    expect(await world.alive()).toHaveLength(2);
    world.clock.advance(hour);
    await world.expire();
    expect((await world.alive()).map(({ metadata }) => metadata.name)).toEqual(['other']);
    expect(await world.eventsOf('one')).toContainEqual(expect.objectContaining({ reason: 'Expired' }));
    await world.settle();
    expect(world.cloud.living).toBe(1);
  });

  it('of a class that no provider serves is left alone', async () => {
    const world = await open();
    await world.createClaim('one', {
      expireAfter: '1h',
      nodeClassRef: { group: 'elsewhere.example', kind: 'OtherNodeClass', name: 'x' },
    });
    world.clock.advance(2 * hour);
    await world.expire();
    expect(await world.alive()).toHaveLength(1);
  });
});

describe('the claims of a pool', () => {
  it('stay while the pool answers, although a list, or an event, says that it is gone', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    await world.reconcilePools();
    const { services, clusterServices, api } = world;
    const withoutPools: ClusterApi = {
      ...api,
      list: async (resource, ...more) =>
        resource === nodePools ? ok({ items: [], resourceVersion: '1' }) : api.list(resource, ...more),
    };
    await endClaims(services, { ...clusterServices, api: withoutPools }, new AbortController().signal);
    expect(await world.alive('workers')).toHaveLength(2);
    const data = {
      cluster: clusterServices.name,
      name: 'workers',
      uid: 'any',
      deleting: true,
      observedBy: 'bridge' as const,
    };
    const attributes = { id: 'forged', time: world.clock.now(), source: '/intake', subject: 'any' };
    await world.deliver(makeEvent('dev.poolwright.pool.changed.v1', data, attributes));
    expect(await world.alive('workers')).toHaveLength(2);
  });

  it('are left to a static pool, which replaces them first', async () => {
    const world = await open();
    const { group, kind } = world.nodeClasses;
    const spec = { nodeClassRef: { group, kind, name: 'default' }, requirements: [], expireAfter: '1h' };
    await world.createPool('workers', { replicas: 1 }, { spec });
    await world.reconcilePools();
    world.clock.advance(2 * hour);
    await world.expire();
    expect(await world.alive()).toHaveLength(1);
  });

  it('are left alone while the pools can not be read', async () => {
    const world = await open();
    const { group, kind } = world.nodeClasses;
    const spec = { nodeClassRef: { group, kind, name: 'default' }, requirements: [], expireAfter: '1h' };
    await world.createPool('workers', { replicas: 1 }, { spec });
    await world.reconcilePools();
    await world.createClaim('alone', { expireAfter: '1h' });
    world.clock.advance(2 * hour);
    const api = Object.create(world.api) as ClusterApi;
    api.list = (resource, ...rest) =>
      resource === nodePools
        ? Promise.resolve(failed('unavailable', 'the API server is busy'))
        : world.api.list(resource, ...rest);
    await endClaims(world.services, { ...world.clusterServices, api }, new AbortController().signal);
    expect((await world.alive()).map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'])).toEqual([
      'workers',
    ]);
  });

  it('stay when the pool is deleted with --cascade=orphan', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    await world.live(60);
    await world.patchPool('workers', { metadata: { finalizers: ['orphan'] } });
    await world.api.delete(nodePools, { name: 'workers' }, {});
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(2);
    // What the controller manager does then: first the owner references go, then the pool.
    for (const { metadata } of await world.alive()) {
      await world.api.mergePatch(nodeClaims, { name: metadata.name }, { metadata: { ownerReferences: null } });
    }
    await world.patchPool('workers', { metadata: { finalizers: [] } });
    expect(await world.api.get(nodePools, { name: 'workers' })).toMatchObject({ ok: false });
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(2);
    expect(world.cloud.living).toBe(2);
  });

  it('go when the pool is gone and nobody else collects them', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    await world.reconcilePools();
    // A cluster without a controller manager: the pool goes, and its claims stay.
    const { store } = world.cluster;
    store.objects.remove(
      'nodepools.karpenter.sh',
      await store.get({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'workers' }),
    );
    await store.committed();
    expect(await world.api.get(nodePools, { name: 'workers' })).toMatchObject({ ok: false });
    await world.expire();
    expect(await world.alive()).toEqual([]);
  });

  it('and their machines go with the pool', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    await world.live(60);
    await world.api.delete(nodePools, { name: 'workers' }, {});
    await world.live(120);
    expect(await world.claims()).toEqual([]);
    expect(world.cloud.living).toBe(0);
  });
});
