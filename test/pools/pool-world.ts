/** A world with static pools: the reconcilers run by hand, on the same manual clock as everything else. */
import { expiration } from '../../functions/reconcilers/expiration.ts';
import { nodeClasses } from '../../functions/reconcilers/node-classes.ts';
import { staticPools } from '../../functions/reconcilers/static-pools.ts';
import type { Json } from '../../shared/base/json.ts';
import type { Condition } from '../../shared/base/kubernetes/object.ts';
import { nodePools } from '../../shared/kube/contract.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { useWorld } from '../nodes/use-world.ts';
import { clusterName, type TestWorld, type TestWorldOptions } from '../nodes/world.ts';

export interface PoolWorld extends TestWorld {
  createPool(name: string, spec?: { [field: string]: Json }, template?: { [field: string]: Json }): Promise<StoredPool>;
  pool(name: string): Promise<StoredPool>;
  patchPool(name: string, patch: Json): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** The timer of the pools, once. */
  reconcilePools(): Promise<void>;
  reconcileNodeClasses(): Promise<void>;
  expire(): Promise<void>;
  /** Lets time pass with everything that a host would run in it. */
  live(seconds: number): Promise<void>;
  /** The claims of a pool that are not being deleted. */
  alive(pool?: string): Promise<StoredClaim[]>;
}

const signal = new AbortController().signal;

export function usePoolWorld(): (options?: TestWorldOptions) => Promise<PoolWorld> {
  const open = useWorld();
  return async (options) => {
    const world = await open(options);
    await world.createNodeClass('default');
    return withPools(world);
  };
}

export function withPools(world: TestWorld): PoolWorld {
  const { api, services } = world;
  const sure = <T>(answer: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
  const poolWorld: PoolWorld = {
    ...world,
    async createPool(name, spec = {}, template = {}) {
      const { group, kind } = world.nodeClasses;
      const object: Json = {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name },
        spec: {
          replicas: 3,
          template: {
            spec: {
              nodeClassRef: { group, kind, name: 'default' },
              requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['general-small'] }],
              expireAfter: 'Never',
            },
            ...template,
          },
          ...spec,
        },
      };
      return sure(await api.create<StoredPool>(nodePools, object));
    },
    pool: async (name) => sure(await api.get<StoredPool>(nodePools, { name })),
    async patchPool(name, patch) {
      sure(await api.mergePatch(nodePools, { name }, patch));
    },
    scale: (name, replicas) => poolWorld.patchPool(name, { spec: { replicas } }),
    reconcilePools: () => staticPools.run(services, clusterName, signal),
    reconcileNodeClasses: () => nodeClasses.run(services, clusterName, signal),
    expire: () => expiration.run(services, clusterName, signal),
    async live(seconds) {
      const end = world.clock.now() + seconds * 1000;
      while (world.clock.now() < end) {
        await poolWorld.reconcileNodeClasses();
        await poolWorld.reconcilePools();
        await poolWorld.expire();
        await world.pass(Math.min(20, (end - world.clock.now()) / 1000));
      }
    },
    async alive(pool) {
      const claims = await world.claims();
      return claims.filter(
        ({ metadata }) =>
          metadata.deletionTimestamp === undefined &&
          (pool === undefined || metadata.labels?.['karpenter.sh/nodepool'] === pool),
      );
    },
  };
  return poolWorld;
}

export const conditionOfPool = (pool: StoredPool, type: string): Condition | undefined =>
  pool.status?.conditions?.find((condition) => condition.type === type);
