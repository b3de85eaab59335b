/**
 * A management cluster with the stand-in for Azure Service Operator, and requests for clusters on the virtual engine: whole lives on one
 * manual clock. Nothing here waits for real time.
 */
import { newClusterDefinitions } from '../../functions/hosts/common/requests/new-cluster-definitions.ts';
import { newClusters } from '../../functions/hosts/common/requests/open-new-cluster.ts';
import { preflightOf } from '../../functions/hosts/common/requests/preflight.ts';
import type { Json, JsonObject } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import { type Clock, countingIds, manualClock, seededRandom } from '../../shared/base/runtime.ts';
import { requestActivities } from '../../shared/clusters/bound-activities.ts';
import { createAsoDriver } from '../../shared/clusters/drivers/aso/driver.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import { clusterRegister } from '../../shared/clusters/registered/register.ts';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import type {
  ClusterRequestServices,
  RequestNotice,
  RequestPlace,
  RequestRef,
  RequestSettings,
} from '../../shared/clusters/services.ts';
import { refOf } from '../../shared/clusters/steps/workflow-key.ts';
import type { MetadataChange, RequestStore, StoredRequest } from '../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../shared/clusters/store/kube.ts';
import { lookAfterRequests } from '../../shared/clusters/upkeep/look-after.ts';
import { deleteCluster } from '../../shared/clusters/workflow/delete.ts';
import { provisionCluster } from '../../shared/clusters/workflow/provision.ts';
import { resolveConfig } from '../../shared/config/load.ts';
import { findCondition } from '../../shared/kube/conditions.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { VirtualEngine } from '../../shared/workflow/virtual/engine.ts';
import type { AsoOptions } from '../../sim/aso/aso.ts';
import { instantly } from '../../sim/aso/settings.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type AsoTestWorld, asoWorld, day, team } from '../sim/aso/world.ts';

/** What takes hours is looked at less often. */
const longestStep = 60;

export const placeName = 'management';

export interface RequestWorldOptions {
  /** A management cluster of the caller's own. */
  clients?: { api: ClusterApi; operatorApi: ClusterApi };
  /** When time begins. */
  now?: number;
  aso?: Partial<AsoOptions>;
  settings?: Partial<RequestSettings>;
  place?: Partial<RequestPlace>;
  /** Where requests are kept, if not in the cluster. */
  store?: (parts: { clock: Clock; state: ClusterRequestServices['state'] }) => RequestStore;
}

export interface RequestWorld {
  readonly aso: AsoTestWorld;
  readonly engine: VirtualEngine;
  readonly services: ClusterRequestServices;
  readonly place: RequestPlace;
  readonly log: ReturnType<typeof collectingLog>;
  readonly notices: readonly RequestNotice[];
  readonly clock: Clock & { advance(milliseconds: number): void };
  create(spec?: Partial<ClusterRequestSpec>, name?: string): Promise<RequestRef>;
  get(name?: string): Promise<StoredRequest | undefined>;
  /** The status and the reason of its condition Ready, such as `True Ready`. */
  ready(name?: string): Promise<string>;
  change(spec: Partial<ClusterRequestSpec>, name?: string): Promise<void>;
  annotate(change: MetadataChange, name?: string): Promise<void>;
  delete(name?: string): Promise<void>;
  /** What others do meanwhile: the operator, and the host that serves new clusters. */
  others(): Promise<void>;
  /** One round of the timer, and whatever is due now. */
  round(): Promise<void>;
  pass(seconds: number, stepSeconds?: number): Promise<void>;
  /** Lets time pass until it is so; fails after so many seconds. */
  until(what: () => Promise<boolean> | boolean, seconds?: number): Promise<void>;
  /** All that is known about requests besides the requests themselves. */
  loseState(): void;
  close(): Promise<void>;
}

/** Times are whole milliseconds, as everywhere outside tests. */
function wholeMilliseconds(start: number): Clock & { advance(milliseconds: number): void } {
  const clock = manualClock(start);
  return { ...clock, now: () => Math.floor(clock.now()) };
}

export async function requestWorld(options: RequestWorldOptions = {}): Promise<RequestWorld> {
  const clock = wholeMilliseconds(options.now ?? day);
  const aso = await asoWorld({ settings: instantly, ...options.aso, clock }, options.clients);
  const { api } = aso;
  const log = collectingLog();
  const config = resolveConfig({});
  if (!config.ok) throw new Error(config.text);
  let state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const told: RequestNotice[] = [];
  const ids = countingIds('r');
  const random = seededRandom(7);
  const currentState = {
    get: (...args) => state.get(...args),
    put: (...args) => state.put(...args),
    delete: (...args) => state.delete(...args),
    list: (...args) => state.list(...args),
  } as ClusterRequestServices['state'];
  const store = options.store?.({ clock, state: currentState }) ?? kubeRequestStore(api);
  const place: RequestPlace = {
    name: placeName,
    store,
    driver: createAsoDriver({ api, clock }),
    api,
    poolTypes: builtInPoolTypes,
    settings: { driftSeconds: 3600, pollSeconds: 15, retrySeconds: 600, graceSeconds: 60, ...options.settings },
    preflight: preflightOf({ deployment: 'test', api, clock }),
    notifier: {
      notify: async (notice) => {
        if (!told.some(({ id }) => id === notice.id)) told.push(notice);
        return ok(undefined);
      },
    },
    ...options.place,
  };
  let engine: VirtualEngine | undefined;
  const services: ClusterRequestServices = {
    deployment: 'test',
    place: (name) => (name === placeName ? place : undefined),
    places: [place],
    openNewCluster: newClusters({ config: config.config, clock, random, log, env: {} }),
    get register() {
      return clusterRegister({ state, configured: [placeName] });
    },
    definitions: newClusterDefinitions,
    ownership: soleOwner,
    state: currentState,
    get workflows() {
      return engine!;
    },
    clock,
    ids,
    random,
    log,
    metrics: createMetrics(),
  };
  const workflows = [provisionCluster, deleteCluster] as never;
  engine = new VirtualEngine({ workflows, activities: requestActivities(services), clock });
  const started = engine;
  const others = async (): Promise<void> => {
    await aso.aso.settle();
    await serveNewClusters(services, aso);
  };
  engine.beforeStep = others;
  const signal = new AbortController().signal;

  const named = (name = 'web') => ({ namespace: team, name });
  const get = async (name?: string): Promise<StoredRequest | undefined> => {
    const found = await store.get(named(name));
    return found.ok ? found.value : undefined;
  };
  const must = async (name?: string): Promise<StoredRequest> => mustBe(await store.get(named(name)));
  const round = async (): Promise<void> => {
    await others();
    await lookAfterRequests(services, place, signal);
    await started.runUntil(clock.now());
  };
  const pass = async (seconds: number, stepSeconds = 5): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += stepSeconds) {
      await round();
      await started.runUntil(clock.now() + stepSeconds * 1000);
    }
    await round();
  };
  return {
    aso,
    engine,
    services,
    place,
    log,
    notices: told,
    clock,
    async create(spec = {}, name) {
      const whole = { location: 'westeurope', kubernetesVersion: '1.35', ...spec };
      const made = await store.create({ ...named(name), spec: JSON.parse(JSON.stringify(whole)) as Json });
      return refOf(placeName, mustBe(made));
    },
    get,
    async ready(name) {
      const found = findCondition((await get(name))?.status?.conditions, 'Ready');
      return found === undefined ? 'nothing' : `${found.status} ${found.reason}`;
    },
    async change(spec, name) {
      const before = await must(name);
      const { uid, resourceVersion } = before.metadata;
      const after = { ...before.spec, ...spec } as unknown as JsonObject;
      mustBe(await store.replaceSpec(named(name), after, { uid, resourceVersion }));
    },
    async annotate(change, name) {
      const { uid, resourceVersion } = (await must(name)).metadata;
      mustBe(await store.patchMetadata(named(name), change, { uid, resourceVersion }));
    },
    async delete(name) {
      const { uid } = (await must(name)).metadata;
      mustBe(await store.delete(named(name), { uid }));
    },
    others,
    round,
    pass,
    async until(what, seconds = 7200) {
      const end = clock.now() + seconds * 1000;
      let step = 5;
      while (!(await what())) {
        if (clock.now() >= end) {
          throw new Error(`not so after ${seconds} seconds: ${JSON.stringify((await get())?.status, null, 1)}`);
        }
        await pass(step, step);
        step = Math.min(step * 1.5, longestStep);
      }
    },
    loseState() {
      state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
    },
    close: () => aso.close(),
  };
}

const nodeClasses = { apiVersion: 'karpenter.azure.com/v1beta1', plural: 'aksnodeclasses' };
const nodePools = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools' };

/** In a registered cluster the host that serves it says that classes and pools are Ready. */
async function serveNewClusters({ register, clock }: ClusterRequestServices, { aso }: AsoTestWorld): Promise<void> {
  const registered = mustBe(await register.list());
  for (const { server } of aso.clusters.all()) {
    if (!registered.some((one) => one.server === server.url)) continue;
    for (const kind of [nodeClasses, nodePools]) {
      for (const { metadata, status } of (await server.store.list(kind)).items) {
        if (status !== undefined) continue;
        const lastTransitionTime = new Date(clock.now()).toISOString();
        const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime };
        const conditions = [{ ...ready, observedGeneration: metadata.generation ?? 1 }];
        await server.store.patch({ ...kind, name: metadata.name }, 'merge', { status: { conditions } } as never, {
          subresource: 'status',
        });
      }
    }
  }
}
