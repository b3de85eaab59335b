/** A configured cluster whose administrator makes it report the uid of another one, against the instances of that other one. */
import { afterEach, describe, expect, it } from 'vitest';
import type { FunctionServices } from '../../functions/declaration.ts';
import { garbageCollection } from '../../functions/reconcilers/garbage-collection.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type ClusterApi, type KubeObject, namespaces } from '../../shared/kube/contract.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { type ClusterIdentities, createIdentities } from '../../shared/ownership/identities.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { logLines, useWorld } from '../nodes/use-world.ts';
import { conditionStatus, type TestWorld } from '../nodes/world.ts';

const open = useWorld();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const graceMs = 61_000;
const signal = new AbortController().signal;

/** Another cluster, with no claims, that reports the uid of the world's. */
async function impostor({ clock, services, cluster }: TestWorld): Promise<ClusterApi> {
  const { url, close } = await startClusterApi({ file: ':memory:', port: 0, clock });
  const connection = { clock, log: services.log, requestTimeoutMs: 10_000, fieldManager: 'poolwright' };
  const api = connectCluster({ ...connection, name: 'impostor', url });
  closing.push(close, () => api.close());
  return {
    ...api,
    get: async <T extends KubeObject>(
      ...[resource, ref, signal]: Parameters<ClusterApi['get']>
    ): Promise<Result<T>> => {
      const got = await api.get<T>(resource, ref, signal);
      if (!got.ok || resource !== namespaces) return got;
      return ok({ ...got.value, metadata: { ...got.value.metadata, uid: cluster.kubeSystemUid } });
    },
  };
}

/** One process of a deployment that is configured with both. */
function bothClusters(world: TestWorld, liar: ClusterApi, believing = false) {
  const { services, clusterServices, clock } = world;
  const names = ['impostor', clusterServices.name];
  const identities = createIdentities({ names, state: services.state, clock, log: services.log });
  const known = (api: ClusterApi): Partial<ClusterServices> => ({
    identity: identities.identityOf(api),
    collectable: identities.collectable(api),
  });
  const believed = { identity: async () => ok(world.cluster.kubeSystemUid) };
  const victim: ClusterServices = { ...clusterServices, ...known(world.api) };
  const attacker: ClusterServices = {
    ...clusterServices,
    name: 'impostor',
    api: liar,
    ...(believing ? believed : known(liar)),
  };
  const both: FunctionServices = {
    ...services,
    clusters: [attacker, victim],
    cluster: (name) => [attacker, victim].find((one) => one.name === name),
  };
  return { identities, victim, attacker, both };
}

async function collectThrough(world: TestWorld, both: FunctionServices, name: string): Promise<void> {
  for (let reading = 0; reading < 3; reading++) {
    await garbageCollection.run(both, name, signal);
    world.clock.advance(graceMs);
    await world.cloud.settle();
  }
}

async function fourReady(world: TestWorld): Promise<void> {
  for (const name of ['one', 'two', 'three', 'four']) await world.createClaim(name);
  await world.settle();
  for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
  expect(world.cloud.living).toBe(4);
}

describe('a cluster that reports the uid of another one', () => {
  it('would have the instances of the other one deleted, if it were believed', async () => {
    const world = await open();
    await fourReady(world);
    const { both } = bothClusters(world, await impostor(world), true);
    await collectThrough(world, both, 'impostor');
    expect(world.cloud.living).toBe(0);
  });

  it.each<[string, (parts: ReturnType<typeof bothClusters>) => Promise<unknown>, { served: boolean }]>([
    ['after the other one', ({ victim, attacker }) => victim.identity().then(attacker.identity), { served: true }],
    ['before the other one', ({ victim, attacker }) => attacker.identity().then(victim.identity), { served: false }],
    ['while the other one does not answer', ({ attacker }) => attacker.identity(), { served: false }],
  ])('touches none of them when it comes %s, also after a restart', async (_order, arrive, { served }) => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    await fourReady(world);
    const liar = await impostor(world);
    let parts = bothClusters(world, liar);
    await arrive(parts);
    for (let restart = 0; restart < 2; restart++) {
      await collectThrough(world, parts.both, 'impostor');
      expect(world.cloud.living).toBe(4);
      parts = bothClusters(world, liar);
    }
    expect(lines.some(({ event }) => event === 'garbage.undecided')).toBe(true);
    if (!served) return;
    expect(await parts.victim.identity()).toEqual(ok(world.cluster.kubeSystemUid));
    expect(lines.filter(({ event }) => event === 'cluster.disputed')).not.toHaveLength(0);
  });

  it('touches none of them behind the same authority, when it comes first after the state was lost', async () => {
    const world = await open();
    await fourReady(world);
    const liar: ClusterApi = { ...(await impostor(world)), anchors: () => world.api.anchors?.() ?? [] };
    const { attacker, victim, both } = bothClusters(world, liar);
    expect(await attacker.identity()).toEqual(ok(world.cluster.kubeSystemUid));
    expect(await victim.identity()).toMatchObject({ ok: false });
    await collectThrough(world, both, 'impostor');
    expect(world.cloud.living).toBe(4);
  });

  it('stops garbage collection in the other one too, until an operator confirms that one', async () => {
    const world = await open();
    await fourReady(world);
    const parts = bothClusters(world, await impostor(world));
    await parts.victim.identity();
    await parts.attacker.identity();
    await world.deleteClaim('one');
    await world.patchClaim('one', { metadata: { finalizers: [] } });
    await collectThrough(world, parts.both, parts.victim.name);
    expect(world.cloud.living).toBe(4);

    await confirmed(parts.identities, world.api);
    const alone = withoutImpostor(world);
    await collectThrough(world, alone, parts.victim.name);
    expect(world.cloud.living).toBe(3);
  });
});

const confirmed = async (identities: ClusterIdentities, api: ClusterApi): Promise<void> => {
  expect(await identities.confirm(api)()).toMatchObject({ ok: true });
};

/** The operator has removed the impostor from the configuration. */
function withoutImpostor({ services, clusterServices, clock, api }: TestWorld): FunctionServices {
  const identities = createIdentities({
    names: [clusterServices.name],
    state: services.state,
    clock,
    log: services.log,
  });
  const cluster = {
    ...clusterServices,
    identity: identities.identityOf(api),
    collectable: identities.collectable(api),
  };
  return { ...services, clusters: [cluster], cluster: (name) => (name === cluster.name ? cluster : undefined) };
}
