/** One Azure, a deployment without a management cluster that has made a cluster in it, and a management cluster with an operator. */

import type { JsonObject } from '../../shared/base/json.ts';
import { countingIds, manualClock, seededRandom } from '../../shared/base/runtime.ts';
import { createAsoDriver } from '../../shared/clusters/drivers/aso/driver.ts';
import type { PlannedStage } from '../../shared/clusters/manifests/manifest.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import { clusterRegister } from '../../shared/clusters/registered/register.ts';
import { requestFinalizer } from '../../shared/clusters/request/marks.ts';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import { resolve } from '../../shared/clusters/resolved/resolve.ts';
import type { ClusterRequestServices, RequestPlace } from '../../shared/clusters/services.ts';
import { manifestsOf } from '../../shared/clusters/steps/judge.ts';
import { type RequestRecord, recordAnnotation } from '../../shared/clusters/steps/record.ts';
import type { RequestStore, StoredRequest } from '../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../shared/clusters/store/kube.ts';
import { stateRequestStore } from '../../shared/clusters/store/state.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type ClusterApi, namespaces } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import type { State } from '../../shared/state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { type Aso, startAso } from '../../sim/aso/aso.ts';
import { installDefinitions } from '../../sim/aso/definitions.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type ArmWorld, startArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import { bringAll } from '../conformance/cluster-drivers/harness.ts';

export interface MoveWorld {
  arm: ArmWorld;
  aso: Aso;
  api: ClusterApi;
  state: State;
  here: RequestStore;
  there: RequestStore;
  services: ClusterRequestServices;
  /** Calls of both stores die here. */
  gate: StoreGate;
  request: StoredRequest;
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The process dies before its so-manieth write, or right after it. */
export class StoreGate {
  writes = 0;
  dies: { at: number; when: 'before' | 'after' } | undefined;

  wrap(store: RequestStore): RequestStore {
    const gated = <Given extends unknown[], T>(call: (...given: Given) => Promise<T>) => {
      return async (...given: Given): Promise<T> => {
        const number = this.writes++;
        if (this.dies === undefined || number < this.dies.at) return await call(...given);
        if (number === this.dies.at && this.dies.when === 'after') await call(...given);
        throw new Error('the process is dead');
      };
    };
    return {
      ...store,
      create: gated(store.create),
      patchMetadata: gated(store.patchMetadata),
      patchStatus: gated(store.patchStatus),
      delete: gated(store.delete),
    };
  }
}

export const usualSpec: ClusterRequestSpec = {
  location: 'westeurope',
  driver: 'arm',
  kubernetesVersion: '1.35',
  nodes: 'agentPools',
  identity: { type: 'UserAssigned' },
  network: {
    subnetID:
      '/subscriptions/11111111-1111-4111-8111-111111111111/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s',
  },
};

/** A request in the state whose cluster is there, all of it. */
export async function makeReady(
  store: RequestStore,
  arm: ArmWorld,
  spec = usualSpec,
  name = 'web',
): Promise<StoredRequest> {
  const made = mustBe(await store.create({ namespace: 'team-a', name, spec: spec as unknown as JsonObject }));
  const { uid, resourceVersion } = made.metadata;
  const resolved = resolve(made as never, builtInPoolTypes);
  const record: RequestRecord = {
    uid,
    deployment: 'test',
    attempt: 1,
    generation: 1,
    spec,
    resolved,
    versions: {},
    begun: ['ResourceGroup', 'Identity', 'ManagedCluster', 'AgentPools'],
    failures: 0,
    poolsExist: true,
    tagged: true,
  };
  const stages: readonly PlannedStage[] = manifestsOf({ deployment: 'test' }, { ...record, poolsExist: false });
  await bringAll(arm, arm.driver, stages);
  const recorded = mustBe(
    await store.patchMetadata(
      made.metadata,
      { annotations: recordAnnotation(record), finalizers: [requestFinalizer] },
      { uid, resourceVersion },
    ),
  );
  const status = {
    observedGeneration: 1,
    readyAt: '2026-11-19T00:10:00Z',
    clusterReadyAt: '2026-11-19T00:08:00Z',
    cluster: { fqdn: 'web.example' },
    conditions: [
      {
        type: 'Ready',
        status: 'True' as const,
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-11-19T00:10:00Z',
      },
    ],
  };
  return mustBe(
    await store.patchStatus(recorded.metadata, status, { uid, resourceVersion: recorded.metadata.resourceVersion }),
  );
}

export async function moveWorld({ subscription }: { subscription?: string } = {}): Promise<MoveWorld> {
  const clock = manualClock(Date.UTC(2026, 10, 19));
  const server = await startClusterApi({
    file: ':memory:',
    port: 0,
    clock,
    random: seededRandom(1),
    ids: countingIds(),
  });
  const connect = (fieldManager: string) =>
    connectCluster({ name: 'first', url: server.url, clock, log: silentLog, requestTimeoutMs: 20_000, fieldManager });
  const [api, operatorApi] = [connect('poolwright'), connect('aso-controller')];
  await installDefinitions(api);
  mustBe(await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } }));
  const settings = subscription === undefined ? {} : { subscription };
  const aso = await startAso({ api: operatorApi, clock, wakeByItself: false, settings });
  const arm = await startArmWorld({ world: { azure: aso.azure, clusters: aso.clusters } }, clock);
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const gate = new StoreGate();
  const here = gate.wrap(stateRequestStore({ state, clock, ids: countingIds() }));
  const there = gate.wrap(kubeRequestStore(api));
  const place = (name: string, rest: Pick<RequestPlace, 'store' | 'driver' | 'api'>): RequestPlace => ({
    name,
    poolTypes: builtInPoolTypes,
    settings: { driftSeconds: 3600, pollSeconds: 15, retrySeconds: 60, graceSeconds: 60 },
    ...rest,
  });
  const places = [
    place('state', { store: here, driver: arm.driver }),
    place('first', { store: there, driver: createAsoDriver({ api, clock }), api }),
  ];
  const services = {
    deployment: 'test',
    places,
    place: (name: string) => places.find((one) => one.name === name),
    workflows: { latest: async () => undefined },
    register: clusterRegister({ state, configured: [] }),
    state,
    clock,
    log: silentLog,
  } as unknown as ClusterRequestServices;
  const request = await makeReady(here, arm);
  gate.writes = 0;
  return {
    arm,
    aso,
    api,
    state,
    here,
    there,
    services,
    gate,
    request,
    async pass(seconds) {
      await aso.settle();
      clock.advance(seconds * 1000);
      await aso.settle();
    },
    async close() {
      await arm.close();
      await aso.close();
      api.close();
      operatorApi.close();
      await server.close();
    },
  };
}
