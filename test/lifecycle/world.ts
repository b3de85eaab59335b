/**
 * A whole world on one manual clock: simulated cluster and cloud over real sockets, the real provider and cluster client,
 * and the lifecycle on the virtual engine. Nothing here waits for real time.
 */
import type { FunctionServices } from '../../functions/declaration.ts';
import { garbageCollection } from '../../functions/reconcilers/garbage-collection.ts';
import { resync } from '../../functions/reconcilers/resync.ts';
import { type ClusterApi, nodeClaims, nodes } from '../../shared/cluster/contract.ts';
import { connectCluster } from '../../shared/cluster/http.ts';
import type { Json } from '../../shared/json.ts';
import { lifecycleActivities } from '../../shared/lifecycle/activities.ts';
import type { StoredClaim } from '../../shared/lifecycle/claim-access.ts';
import { launch } from '../../shared/lifecycle/launch.ts';
import type { StoredNode } from '../../shared/lifecycle/node-stages.ts';
import type { ClusterServices, LifecycleSettings } from '../../shared/lifecycle/services.ts';
import { terminate } from '../../shared/lifecycle/terminate.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { Provider, ProviderTraits } from '../../shared/providers/contract.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import { openSqliteQueue } from '../../shared/queue/sqlite.ts';
import { openQueueDatabase } from '../../shared/queue/sqlite-schema.ts';
import { countingIds, manualClock, seededRandom } from '../../shared/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite.ts';
import { VirtualEngine } from '../../shared/workflow/virtual/engine.ts';
import { type SimCloud, type SimCloudOptions, startSimCloud } from '../../sim/cloud/start.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';

export const clusterName = 'test';

export interface TestWorld {
  engine: VirtualEngine;
  services: FunctionServices;
  cloud: SimCloud;
  api: ClusterApi;
  provider: Provider;
  clock: ReturnType<typeof manualClock>;
  /** Makes a claim for the simulated cloud and the node class it needs. */
  createClaim(name: string, more?: { [key: string]: Json }): Promise<StoredClaim>;
  deleteClaim(name: string): Promise<void>;
  claim(name: string): Promise<StoredClaim | undefined>;
  claims(): Promise<StoredClaim[]>;
  nodes(): Promise<StoredNode[]>;
  /** Resync, run what is due, let time pass; until nothing changes any more. */
  settle(rounds?: number): Promise<void>;
  /** The resync, once. */
  resync(): Promise<void>;
  collectGarbage(): Promise<void>;
  close(): Promise<void>;
}

export interface TestWorldOptions {
  cloud?: SimCloudOptions;
  traits?: Partial<ProviderTraits>;
  settings?: Partial<LifecycleSettings>;
  cluster?: Partial<ClusterServices>;
  decorate?: (provider: Provider) => Provider;
  logTo?: (line: string) => void;
}

export async function testWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const clock = manualClock();
  const ids = countingIds('x');
  const random = seededRandom(7);
  const log = createLog({
    level: options.logTo ? 'debug' : 'silent',
    pretty: false,
    sink: options.logTo ?? (() => {}),
    clock,
  });
  const cluster = await startClusterApi({ file: ':memory:', port: 0, clock });
  const cloud = await startSimCloud({
    bootSeconds: 20,
    readySeconds: 2,
    deleteSeconds: 3,
    ...options.cloud,
    clock,
    kubelet: { clusterUrl: cluster.url },
    wakeByItself: false,
  });
  const api = connectCluster({
    name: clusterName,
    url: cluster.url,
    clock,
    log,
    requestTimeoutMs: 10_000,
    fieldManager: 'poolwright',
  });
  const made = createSimProvider({ url: cloud.url, clock, ...(options.traits ? { traits: options.traits } : {}) });
  const provider = options.decorate?.(made) ?? made;
  const resource = { ...provider.nodeClasses[0]!, namespaced: false };
  const clusterServices: ClusterServices = {
    name: clusterName,
    api,
    identity: async () => ({ ok: true, value: cluster.kubeSystemUid }),
    providers: [provider],
    providerFor: (ref) => (ref.kind === resource.kind ? { provider, resource } : undefined),
    paused: false,
    pausedProviders: new Set(),
    garbageCollection: { graceSeconds: 60, maxDeletesPercent: 10, maxDeletesAtLeast: 5 },
    ...options.cluster,
  };
  const stateDatabase = openStateDatabase({ file: ':memory:' });
  const queueDatabase = openQueueDatabase({ file: ':memory:' });
  let engine: VirtualEngine | undefined;
  const services: FunctionServices = {
    deployment: 'test',
    clusters: [clusterServices],
    cluster: (name) => (name === clusterName ? clusterServices : undefined),
    state: openSqliteState({ ...stateDatabase, clock }),
    events: openSqliteQueue({
      ...queueDatabase,
      name: 'events',
      clock,
      ids,
      options: { visibilitySeconds: 30, maxReceives: 5, maxBodyBytes: 65_536 },
    }),
    get workflows() {
      return engine!;
    },
    clock,
    ids,
    random,
    log,
    metrics: createMetrics(),
    settings: {
      unavailableSeconds: 180,
      firstPauseSeconds: 5,
      maxPauseSeconds: 300,
      restoreHorizonSeconds: 600,
      lookAgainSeconds: 20,
      catalogueSeconds: 600,
      decisions: { keepSeconds: 86_400, maxPerClaim: 50 },
      ...options.settings,
    },
  };
  engine = new VirtualEngine({ workflows: [launch, terminate], activities: lifecycleActivities(services), clock });
  // The world moves with the clock: machines boot and nodes join before anybody looks.
  engine.beforeStep = () => cloud.settle();

  const signal = new AbortController().signal;
  const all = async <T extends StoredClaim | StoredNode>(kind: typeof nodeClaims): Promise<T[]> => {
    const page = await api.list<T>(kind);
    if (!page.ok) throw new Error(page.error.message);
    return page.value.items;
  };
  const world: TestWorld = {
    engine,
    services,
    cloud,
    api,
    provider,
    clock,
    async createClaim(name, more = {}) {
      await api.create(resource, {
        apiVersion: `${resource.group}/${resource.version}`,
        kind: resource.kind,
        metadata: { name: 'default' },
        spec: {},
      });
      const { metadata = {}, ...spec } = more as { metadata?: { [key: string]: Json } };
      const created = await api.create<StoredClaim>(nodeClaims, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: { ...metadata, name },
        spec: {
          nodeClassRef: { group: resource.group, kind: resource.kind, name: 'default' },
          requirements: [],
          resources: { requests: { cpu: '1' } },
          ...spec,
        },
      });
      if (!created.ok) throw new Error(created.error.message);
      return created.value;
    },
    async deleteClaim(name) {
      const deleted = await api.delete(nodeClaims, { name }, {});
      if (!deleted.ok && deleted.error.kind !== 'not-found') throw new Error(deleted.error.message);
    },
    async claim(name) {
      const got = await api.get<StoredClaim>(nodeClaims, { name });
      if (got.ok) return got.value;
      if (got.error.kind === 'not-found') return undefined;
      throw new Error(got.error.message);
    },
    claims: () => all<StoredClaim>(nodeClaims),
    nodes: () => all<StoredNode>(nodes),
    resync: () => resync.run(services, clusterName, signal),
    collectGarbage: () => garbageCollection.run(services, clusterName, signal),
    async settle(rounds = 20) {
      for (let round = 0; round < rounds; round++) {
        await world.resync();
        await engine.runUntil(clock.now() + 60_000);
        await cloud.settle();
        const running = engine.all().filter(({ status }) => status === 'running');
        if (running.length === 0 && round > 0) return;
      }
    },
    async close() {
      api.close();
      await cloud.close();
      await cluster.close();
    },
  };
  return world;
}

export const conditionStatus = (claim: StoredClaim | undefined, type: string): string | undefined =>
  claim?.status?.conditions?.find((condition) => condition.type === type)?.status;
