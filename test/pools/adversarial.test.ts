/** Crashes between any two writes, two processes at once, lists that lag: the number of claims stays right. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FunctionServices } from '../../functions/declaration.ts';
import { expiration } from '../../functions/reconcilers/expiration.ts';
import { staticPools } from '../../functions/reconcilers/static-pools.ts';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import { claimName } from '../../shared/nodes/pools/names.ts';
import { conditionOf } from '../../shared/nodes/steps/claim-access.ts';
import type { State } from '../../shared/state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { clusterName } from '../nodes/world.ts';
import { type PoolWorld, usePoolWorld } from './pool-world.ts';

const open = usePoolWorld();
const signal = new AbortController().signal;
const longerThanTheLock = 61_000;

class Crash extends Error {}

/** What the process does to the outside, each step passed through `around`. */
function process(
  world: PoolWorld,
  around: <T>(step: () => Promise<T>, isWrite: boolean) => Promise<T>,
  ownState = world.services.state,
): () => Promise<void> {
  const { api } = world;
  const through: ClusterApi = {
    ...bound(api),
    get: (...args) => around(() => api.get(...args), false),
    list: (...args) => around(() => api.list(...args), false),
    create: (...args) => around(() => api.create(...args), true),
    mergePatch: (...args) => around(() => api.mergePatch(...args), true),
    delete: (...args) => around(() => api.delete(...args), true),
  };
  const state: State = {
    get: (key) => ownState.get(key),
    list: (prefix, page) => ownState.list(prefix, page),
    put: (...args) => around(() => ownState.put(...args), true),
    delete: (...args) => around(() => ownState.delete(...args), true),
  };
  const cluster = { ...world.clusterServices, api: through };
  const services: FunctionServices = { ...world.services, state, clusters: [cluster], cluster: () => cluster };
  return () => staticPools.run(services, clusterName, signal);
}

/** Methods of a class instance do not survive a spread. */
const bound = (api: ClusterApi): ClusterApi => ({
  name: api.name,
  get: (...args) => api.get(...args),
  list: (...args) => api.list(...args),
  watch: (...args) => api.watch(...args),
  create: (...args) => api.create(...args),
  mergePatch: (...args) => api.mergePatch(...args),
  jsonPatch: (...args) => api.jsonPatch(...args),
  apply: (...args) => api.apply(...args),
  delete: (...args) => api.delete(...args),
  evict: (...args) => api.evict(...args),
  close: () => {},
});

/** Dies at write number `at`, before or after its effect; everything that it would do later does not happen. */
function crashing(world: PoolWorld, at: number, effect: 'before' | 'after') {
  let writes = 0;
  let dead = false;
  const run = process(world, async (step, isWrite) => {
    if (dead) throw new Crash();
    if (!isWrite || writes++ !== at) return step();
    dead = true;
    if (effect === 'after') await step();
    throw new Crash();
  });
  return async (): Promise<boolean> => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    return dead;
  };
}

async function crashEverywhere(prepare: (world: PoolWorld) => Promise<void>, replicas: number): Promise<number> {
  const world = await open();
  let crashes = 0;
  for (const effect of ['before', 'after'] as const) {
    for (let at = 0; ; at++) {
      await prepare(world);
      const died = await crashing(world, at, effect)();
      expect((await world.alive()).length).toBeLessThanOrEqual(Math.max(replicas, 4));
      world.clock.advance(longerThanTheLock);
      await world.reconcilePools();
      world.clock.advance(longerThanTheLock);
      await world.reconcilePools();
      expect(await world.alive()).toHaveLength(replicas);
      if (!died) break;
      crashes++;
    }
  }
  return crashes;
}

describe('a run that dies', () => {
  it('while it fills a pool, at any write, is made good by the next one without a claim too many', async () => {
    const refill = async (world: PoolWorld): Promise<void> => {
      for (const { metadata } of await world.claims()) await world.deleteClaim(metadata.name);
      const pool = (await world.pool('workers').catch(() => undefined)) ?? (await world.createPool('workers'));
      // The pauses after rounds in vain are another story.
      await world.services.state.delete(`pool-tries/${clusterName}/${pool.metadata.uid}`);
    };
    expect(await crashEverywhere(refill, 3)).toBeGreaterThan(10);
  }, 30_000);

  it('while it scales down, at any write, leaves as many as are wanted in the end', async () => {
    const tooMany = async (world: PoolWorld): Promise<void> => {
      if (!(await world.pool('workers').catch(() => undefined))) await world.createPool('workers', { replicas: 4 });
      await world.scale('workers', 4);
      await world.reconcilePools();
      await world.scale('workers', 2);
    };
    expect(await crashEverywhere(tooMany, 2)).toBeGreaterThan(6);
  }, 30_000);

  it('while it replaces a drifted node, at any write, does not lose it before the new one serves', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    await world.live(60);
    let crashes = 0;
    for (const effect of ['before', 'after'] as const) {
      for (let at = 0, died = true; died; at++) {
        const version = `${effect}-${at}`;
        await world.patchPool('workers', { spec: { template: { metadata: { labels: { version } } } } });
        let run = crashing(world, at, effect);
        died = false;
        const isReplaced = async (): Promise<boolean> =>
          (await world.alive()).every(({ metadata }) => metadata.labels?.version === version);
        while (!(await isReplaced())) {
          if (await run()) {
            died = true;
            crashes++;
            world.clock.advance(longerThanTheLock);
            run = async () => false;
          } else if (died) await world.reconcilePools();
          const alive = await world.alive();
          expect(alive.length).toBeLessThanOrEqual(2);
          expect(alive.some((claim) => conditionOf(claim, 'Initialized')?.status === 'True')).toBe(true);
          await world.pass(20);
        }
        expect(await world.alive()).toHaveLength(1);
      }
    }
    expect(crashes).toBeGreaterThan(10);
  }, 60_000);
});

describe('two processes at once', () => {
  it('that share no lock make the same claims, in whatever order their steps come', async () => {
    const world = await open();
    await world.createPool('workers');
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        for (const { metadata } of await world.claims()) await world.deleteClaim(metadata.name);
        const alone = () => openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: world.clock });
        const around = <T>(step: () => Promise<T>): Promise<T> => scheduler.schedule(Promise.resolve()).then(step);
        const both = [process(world, around, alone())(), process(world, around, alone())()];
        await scheduler.waitFor(Promise.all(both));
        expect(await world.alive()).toHaveLength(3);
      }),
      { numRuns: 20 },
    );
  }, 30_000);

  it('that share the lock do not both work, and a change in between is not forgotten', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    let second: Promise<void> | undefined;
    const first = process(world, async (step, isWrite) => {
      const result = await step();
      // In the middle of the first run: the pool is scaled, and somebody comes to tell.
      if (isWrite && second === undefined && (await world.claims()).length === 1) {
        await world.scale('workers', 2);
        second = world.reconcilePools();
        await second;
      }
      return result;
    });
    await first();
    expect(await world.alive()).toHaveLength(2);
  });
});

/** Lets something happen between the decision to delete a claim and the deletion. */
function beforeDeletion(world: PoolWorld, happens: (name: string) => Promise<void>): FunctionServices {
  const api: ClusterApi = {
    ...bound(world.api),
    delete: async (resource, ref, ...rest) => {
      if (resource === nodeClaims) await happens(ref.name);
      return world.api.delete(resource, ref, ...rest);
    },
  };
  const cluster = { ...world.clusterServices, api };
  return { ...world.services, clusters: [cluster], cluster: () => cluster };
}

describe('between the decision and the deletion', () => {
  it('a drifted claim becomes Ready: it is replaced within the budget, not deleted', async () => {
    const world = await open();
    const budgets = [{ nodes: '0' }];
    await world.createPool('workers', { replicas: 1, disruption: { consolidateAfter: '0s', budgets } });
    await world.reconcilePools();
    const [claim] = await world.alive();
    await world.patchPool('workers', { spec: { template: { metadata: { labels: { team: 'new' } } } } });
    const services = beforeDeletion(world, () => world.pass(60));
    await staticPools.run(services, clusterName, signal);
    const alive = await world.alive();
    expect(alive.map(({ metadata }) => metadata.uid)).toEqual([claim?.metadata.uid]);
    expect(conditionOf(alive[0]!, 'Ready')?.status).toBe('True');
  });

  it('a claim that is one too many is only written to: it goes all the same', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    await world.reconcilePools();
    await world.scale('workers', 0);
    let written = false;
    const services = beforeDeletion(world, async (name) => {
      if (written) return;
      written = true;
      await world.api.mergePatch(nodeClaims, { name }, { metadata: { annotations: { note: 'x' } } });
    });
    await staticPools.run(services, clusterName, signal);
    expect(written).toBe(true);
    expect(await world.alive()).toHaveLength(0);
  });

  it('an expired claim becomes one of a static pool, which replaces first: it stays', async () => {
    const world = await open();
    await world.createClaim('one', { expireAfter: '1h' });
    await world.settle();
    world.clock.advance(3_700_000);
    const services = beforeDeletion(world, async (name) => {
      await world.api.mergePatch(nodeClaims, { name }, { metadata: { ownerReferences: [ownedBy(pool)] } });
    });
    const pool = await world.createPool('workers');
    await expiration.run(services, clusterName, signal);
    expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

const ownedBy = ({ metadata: { name, uid } }: StoredPool) => ({
  ...{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid },
});

describe('a list that lags', () => {
  it('behind what was made leads to no double', async () => {
    const world = await open();
    await world.createPool('workers');
    const before = await world.api.list(nodeClaims);
    await world.reconcilePools();
    const lagging: ClusterApi = {
      ...bound(world.api),
      list: (resource, ...rest) =>
        resource === nodeClaims ? Promise.resolve(before as never) : world.api.list(resource, ...rest),
    };
    const cluster = { ...world.clusterServices, api: lagging };
    const services: FunctionServices = { ...world.services, clusters: [cluster], cluster: () => cluster };
    for (let round = 0; round < 5; round++) {
      world.clock.advance(60_000);
      await staticPools.run(services, clusterName, signal);
    }
    expect(await world.claims()).toHaveLength(3);
  });

  it('and a stranger under one of its names leads to another name', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 2 });
    await world.reconcilePools();
    const pool = await world.pool('workers');
    for (const { metadata } of await world.claims()) await world.deleteClaim(metadata.name);
    for (const number of [2, 3]) await world.createClaim(claimName(pool.metadata, number));
    world.clock.advance(60_000);
    await world.reconcilePools();
    expect(await world.alive('workers')).toHaveLength(2);
    expect(await world.claims()).toHaveLength(4);
  });
});
