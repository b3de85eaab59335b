/**
 * A whole world on one manual clock: simulated cluster and cloud over real sockets, the real provider and cluster client,
 * and the lifecycle on the virtual engine. Nothing here waits for real time.
 */

import type { CoreV1Event } from '@kubernetes/client-node';
import type { PoolwrightEvent } from '../../events/catalog.ts';
import { makeEvent } from '../../events/make.ts';
import type { FunctionServices } from '../../functions/declaration.ts';
import { garbageCollection } from '../../functions/reconcilers/garbage-collection.ts';
import { refreshOfferings } from '../../functions/reconcilers/refresh-offerings.ts';
import { resync } from '../../functions/reconcilers/resync.ts';
import { eventWatcher } from '../../functions/watchers/event-watcher.ts';
import type { Json } from '../../shared/base/json.ts';
import type { Condition } from '../../shared/base/kubernetes/object.ts';
import type { Result } from '../../shared/base/result.ts';
import { type Clock, countingIds, manualClock, seededRandom } from '../../shared/base/runtime.ts';
import type { Wire } from '../../shared/base/wire.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { noClusterSettings } from '../../shared/kube/cluster-settings.ts';
import {
  type ClusterApi,
  events,
  type KubeObject,
  nodeClaims,
  nodes,
  type Resource,
} from '../../shared/kube/contract.ts';
import { lifecycleActivities } from '../../shared/nodes/activities.ts';
import { launch } from '../../shared/nodes/launch/launch.ts';
import type { StoredNode } from '../../shared/nodes/node-objects/node-stages.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { type DecisionEntry, readDecisions } from '../../shared/nodes/steps/report/decision-log.ts';
import { eventCatalog } from '../../shared/nodes/steps/report/event-catalog.ts';
import type { ClusterServices, LifecycleSettings } from '../../shared/nodes/steps/services.ts';
import { terminate } from '../../shared/nodes/terminate/terminate.ts';
import { createLog, type Log } from '../../shared/observe/log/log.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { type ClusterLeadership, soleOwner } from '../../shared/ownership/standing.ts';
import type { Provider, ProviderTraits } from '../../shared/providers/contract.ts';
import { servingOf, type TypedProvider } from '../../shared/providers/serving.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import { openSqliteQueue } from '../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../shared/queue/sqlite/schema.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { VirtualEngine } from '../../shared/workflow/virtual/engine.ts';
import { type SimCloud, type SimCloudOptions, startSimCloud } from '../../sim/cloud/start.ts';
import { type ClusterApi as SimCluster, startClusterApi } from '../../sim/cluster/server.ts';
import { storageKey } from '../../sim/cluster/types.ts';
import { lifecycleSettings } from '../lifecycle-settings.ts';

export const clusterName = 'test';

export interface TestWorld {
  engine: VirtualEngine;
  services: FunctionServices;
  cloud: SimCloud;
  api: ClusterApi;
  provider: Provider;
  cluster: SimCluster;
  clusterServices: ClusterServices;
  clock: ReturnType<typeof manualClock>;
  /** The node class that the provider serves. */
  nodeClasses: Resource;
  createNodeClass(name: string, spec?: Json): Promise<void>;
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
  refreshOfferings(): Promise<void>;
  /** Lets so much time pass, with a resync and what is due at every step of it. */
  pass(seconds: number, stepSeconds?: number): Promise<void>;
  /** Changes the claim as somebody with kubectl would. */
  patchClaim(name: string, patch: Json, subresource?: 'status'): Promise<StoredClaim>;
  patchNode(name: string, patch: Json, subresource?: 'status'): Promise<StoredNode>;
  /** Changes what is stored past every check, as an object from before the schema, or a broken webhook, would be. */
  writePast(kind: Resource, name: string, change: (object: { [key: string]: Json }) => void): Promise<void>;
  /** The Events about a claim, as `kubectl describe` shows them. */
  eventsOf(name: string): Promise<StoredEvent[]>;
  decisionsOf(claim: StoredClaim): Promise<DecisionEntry[]>;
  /** Hands one event to the watcher, as the queue would. */
  deliver(event: PoolwrightEvent | string, receiveCount?: number): Promise<Handled>;
  /** What the watching source would say of this Node now. */
  nodeEvent(node: StoredNode): PoolwrightEvent;
  close(): Promise<void>;
}

/** Every Event of ours has these. */
export type StoredEvent = KubeObject &
  Required<Pick<Wire<CoreV1Event>, 'reason' | 'message' | 'type' | 'count' | 'involvedObject'>>;

export interface TestWorldOptions {
  cloud?: SimCloudOptions;
  traits?: Partial<ProviderTraits>;
  settings?: Partial<LifecycleSettings>;
  cluster?: Partial<ClusterServices>;
  decorate?: (provider: Provider) => Provider;
  ownership?: ClusterLeadership;
  /** Another cloud beside the simulated one. */
  join?: (parts: CloudParts) => Promise<JoinedCloud>;
  logTo?: (line: string) => void;
}

export interface CloudParts {
  api: ClusterApi;
  clusterUrl: string;
  clock: Clock;
  log: Log;
}

export interface JoinedCloud {
  providers: readonly TypedProvider[];
  /** Lets happen what is due by the clock. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function testWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const clock = wholeMilliseconds(manualClock());
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
  const resource: Resource = { ...provider.nodeClasses[0]!, namespaced: false };
  const joined = await options.join?.({ api, clusterUrl: cluster.url, clock, log });
  const typed: TypedProvider[] = [...(joined?.providers ?? []), { provider, type: provider.name }];
  const clusterServices: ClusterServices = {
    name: clusterName,
    api,
    identity: async () => ({ ok: true, value: cluster.kubeSystemUid }),
    providers: typed.map((one) => one.provider),
    serving: (claim) => servingOf(typed, claim),
    preferredProviders: async () => ({ ok: true, value: [] }),
    paused: false,
    pausedProviders: new Set(),
    settings: noClusterSettings,
    garbageCollection: { graceSeconds: 60, maxDeletesPercent: 10, maxDeletesAtLeast: 5 },
    ...options.cluster,
  };
  const stateDatabase = openStateDatabase({ file: ':memory:' });
  const queueDatabase = openQueueDatabase({ file: ':memory:' });
  let engine: VirtualEngine | undefined;
  const services: FunctionServices = {
    deployment: 'test',
    clusters: [clusterServices],
    ownership: options.ownership ?? soleOwner,
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
    settings: lifecycleSettings(options.settings),
  };
  engine = new VirtualEngine({ workflows: [launch, terminate], activities: lifecycleActivities(services), clock });
  // The world moves with the clock: machines boot and nodes join before anybody looks.
  const settleClouds = async (): Promise<void> => {
    await cloud.settle();
    await joined?.settle();
  };
  engine.beforeStep = settleClouds;

  const signal = new AbortController().signal;
  const sure = <T>(answer: Result<T>): T => {
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
  const all = async <T extends KubeObject>(kind: Resource): Promise<T[]> => sure(await api.list<T>(kind)).items;
  const world: TestWorld = {
    engine,
    services,
    cloud,
    api,
    provider,
    cluster,
    clusterServices,
    clock,
    nodeClasses: resource,
    async createNodeClass(name, spec = {}) {
      const { group, version, kind } = resource;
      sure(await api.create(resource, { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec }));
    },
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
      return sure(created);
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
    refreshOfferings: () => refreshOfferings.run(services, clusterName, signal),
    collectGarbage: () => garbageCollection.run(services, clusterName, signal),
    async settle(rounds = 20) {
      for (let round = 0; round < rounds; round++) {
        await world.resync();
        await engine.runUntil(clock.now() + 60_000);
        await settleClouds();
        const running = engine.all().filter(({ status }) => status === 'running');
        if (running.length === 0 && round > 0) return;
      }
    },
    async pass(seconds, stepSeconds = 20) {
      const end = clock.now() + seconds * 1000;
      while (clock.now() < end) {
        await world.resync();
        await engine.runUntil(Math.min(end, clock.now() + stepSeconds * 1000));
        await settleClouds();
      }
    },
    patchClaim: async (name, patch, subresource) =>
      sure(await api.mergePatch<StoredClaim>(nodeClaims, { name }, patch, subresource ? { subresource } : {})),
    patchNode: async (name, patch, subresource) =>
      sure(await api.mergePatch<StoredNode>(nodes, { name }, patch, subresource ? { subresource } : {})),
    async writePast({ group, version, plural }, name, change) {
      const { store } = cluster;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const object = structuredClone(await store.get({ apiVersion, plural, name }));
      change(object as { [key: string]: Json });
      store.objects.put(storageKey(store.resource({ apiVersion, plural })), object);
      await store.committed();
    },
    async eventsOf(name) {
      const stored = await all<StoredEvent>(events);
      return stored.filter((event) => event.involvedObject.name === name);
    },
    decisionsOf: ({ metadata: { name, uid } }) => readDecisions(services.state, { cluster: clusterName, name, uid }),
    deliver: (event, receiveCount = 1) => {
      const body = typeof event === 'string' ? event : JSON.stringify(event);
      return eventWatcher.handle(services, { body, receiveCount }, signal);
    },
    nodeEvent({ metadata, spec, status }) {
      const { name, uid } = metadata;
      const data = {
        cluster: clusterName,
        name,
        uid,
        providerID: spec?.providerID ?? '',
        ready: status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
        deleting: metadata.deletionTimestamp !== undefined,
      };
      const attributes = { id: ids.next(), time: clock.now(), source: '/test', subject: `${clusterName}/${name}` };
      return makeEvent('dev.poolwright.node.changed.v1', data, attributes);
    },
    async close() {
      // Whatever a test was about: people rely on the reasons of Events, so none may come that the catalog does not have.
      const told = await api.list<StoredEvent>(events);
      const seen = told.ok ? told.value.items.map(({ reason, type }) => ({ reason, type })) : [];
      const unknown = seen.filter(({ reason, type }) => !eventCatalog[reason]?.type.includes(type));
      if (unknown.length > 0) throw new Error(`not in the catalog of Events: ${JSON.stringify(unknown)}`);
      api.close();
      await joined?.close();
      await cloud.close();
      await cluster.close();
    },
  };
  return world;
}

/** As the system's: a pause of 11.3374 s must not leave the clock between two milliseconds. */
function wholeMilliseconds(clock: ReturnType<typeof manualClock>): ReturnType<typeof manualClock> {
  return { ...clock, advance: (milliseconds) => clock.advance(Math.ceil(milliseconds)) };
}

export const conditionStatus = (claim: StoredClaim | undefined, type: string): string | undefined =>
  conditionOf(claim, type)?.status;

export const conditionOf = (claim: StoredClaim | undefined, type: string): Condition | undefined =>
  claim?.status?.conditions?.find((condition) => condition.type === type);
