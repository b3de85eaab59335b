/** A simulated management cluster with the stand-in for the operator. Time moves when a test moves it. */

import type { Json, JsonObject } from '../../../shared/base/json.ts';
import { countingIds, manualClock, seededRandom } from '../../../shared/base/runtime.ts';
import type { PlannedStage } from '../../../shared/clusters/manifests/manifest.ts';
import { planRequest } from '../../../shared/clusters/plan/plan.ts';
import { builtInPoolTypes } from '../../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../../../shared/clusters/request/schema.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import {
  type ClusterApi,
  customResourceDefinitions,
  type KubeObject,
  namespaces,
  type Resource,
} from '../../../shared/kube/contract.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { type Aso, type AsoOptions, startAso } from '../../../sim/aso/aso.ts';
import { installOperator } from '../../../sim/aso/definitions.ts';
import { asoKinds, gitRepositories, kustomizations } from '../../../sim/aso/kinds.ts';
import type { AsoObject } from '../../../sim/aso/object.ts';
import { startClusterApi } from '../../../sim/cluster/server.ts';
import { mustBe } from '../../cli/cluster-world.ts';

export const team = 'team-a';
export const day = Date.UTC(2026, 10, 19);

export interface AsoTestWorld {
  api: ClusterApi;
  clock: ReturnType<typeof manualClock>;
  url: string;
  /** As another field manager. */
  connect(fieldManager: string): ClusterApi;
  aso: Aso;
  /** As a driver does: server-side apply, with force. */
  apply(object: JsonObject): Promise<AsoObject>;
  get(kind: string, name: string): Promise<AsoObject | undefined>;
  remove(kind: string, name: string): Promise<void>;
  /** Status, severity and reason, such as `False Warning WaitingForOwner`. */
  standing(kind: string, name: string): Promise<string>;
  /** Lets so many seconds pass, in steps of so many. */
  pass(seconds: number, step?: number): Promise<void>;
  restart(options?: Partial<AsoOptions>): Promise<void>;
  close(): Promise<void>;
}

const resources: readonly Resource[] = [...asoKinds.map(({ resource }) => resource), gitRepositories, kustomizations];
export const resourceOf = (kind: string): Resource => {
  const found = resources.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found;
};

/** @param clients A management cluster of the caller's own: as ourselves, and as the operator, who may do everything. */
export async function asoWorld(
  options: Partial<AsoOptions> = {},
  clients?: { api: ClusterApi; operatorApi: ClusterApi },
): Promise<AsoTestWorld> {
  const clock = options.clock === undefined ? manualClock(day) : (options.clock as ReturnType<typeof manualClock>);
  const server =
    clients === undefined
      ? await startClusterApi({ file: ':memory:', port: 0, clock, random: seededRandom(1), ids: countingIds() })
      : undefined;
  const connect = (fieldManager: string) =>
    connectCluster({
      name: 'management',
      url: server?.url ?? '',
      clock,
      log: silentLog,
      requestTimeoutMs: 20_000,
      fieldManager,
    });
  const api = clients?.api ?? connect('poolwright');
  const operatorApi = clients?.operatorApi ?? connect('aso-controller');
  await installOperator(operatorApi);
  mustBe(await operatorApi.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } }));
  const start = (more: Partial<AsoOptions> = {}): Promise<Aso> =>
    startAso({ api: operatorApi, clock, wakeByItself: false, ...options, ...more });
  let aso = await start();
  const ref = (name: string) => ({ name, namespace: team });
  return {
    api,
    clock,
    url: server?.url ?? '',
    connect,
    get aso() {
      return aso;
    },
    apply: async (object) =>
      mustBe(await api.apply<AsoObject>(resourceOf(String(object.kind)), object, { force: true })),
    async get(kind, name) {
      const found = await api.get<AsoObject>(resourceOf(kind), ref(name));
      return found.ok ? found.value : undefined;
    },
    async remove(kind, name) {
      const found = mustBe(await api.get<AsoObject>(resourceOf(kind), ref(name)));
      mustBe(await api.delete(resourceOf(kind), ref(name), { uid: found.metadata.uid ?? '' }));
    },
    async standing(kind, name) {
      const found = await api.get<AsoObject>(resourceOf(kind), ref(name));
      if (!found.ok) return found.error.kind;
      const ready = found.value.status?.conditions?.[0];
      return ready === undefined ? 'nothing' : [ready.status, ready.severity, ready.reason].filter(Boolean).join(' ');
    },
    async pass(seconds, step = seconds) {
      for (let passed = 0; passed < seconds; passed += step) {
        clock.advance(step * 1000);
        await aso.settle();
      }
    },
    async restart(more) {
      await aso.close();
      aso = await start(more);
    },
    async close() {
      await aso.close();
      api.close();
      operatorApi.close();
      await server?.close();
    },
  };
}

const object = (
  kind: string,
  name: string,
  spec: JsonObject,
  annotations: Record<string, string> = {},
): JsonObject => ({
  apiVersion: `${resourceOf(kind).group}/${resourceOf(kind).version}`,
  kind,
  metadata: { name, namespace: team, annotations },
  spec,
});

export const group = (name = 'rg-a', spec: JsonObject = {}, annotations?: Record<string, string>): JsonObject =>
  object(
    'ResourceGroup',
    name,
    { azureName: name, location: 'westeurope', tags: { owner: 'us' }, ...spec },
    annotations,
  );

export const cluster = (name = 'a', spec: JsonObject = {}, annotations?: Record<string, string>): JsonObject =>
  object(
    'ManagedCluster',
    name,
    {
      azureName: name,
      location: 'westeurope',
      owner: { name: 'rg-a' },
      dnsPrefix: name,
      kubernetesVersion: '1.35',
      tags: { owner: 'us' },
      identity: { type: 'SystemAssigned' },
      nodeProvisioningProfile: { mode: 'Auto', defaultNodePools: 'None' },
      oidcIssuerProfile: { enabled: true },
      agentPoolProfiles: [{ name: 'systempool', mode: 'System', count: 2, vmSize: 'Standard_D4s_v5' }],
      operatorSpec: {
        secrets: { adminCredentials: { name: `${name}-kubeconfig`, key: 'value' } },
        configMaps: { oidcIssuerProfile: { name: `${name}-oidc`, key: 'issuer' } },
      },
      ...spec,
    },
    annotations,
  );

/** What our own generator makes of a request, stage by stage. */
export function stagesOf(spec: Partial<ClusterRequestSpec> = {}, name = 'web'): readonly PlannedStage[] {
  const request = {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'ClusterRequest',
    metadata: { name, namespace: team, uid: `uid-of-${name}` },
    spec: { location: 'westeurope', kubernetesVersion: '1.35', ...spec },
  };
  const plan = planRequest(request, { types: builtInPoolTypes, today: '2026-11-19', deployment: 'test' });
  if (!plan.valid) throw new Error(JSON.stringify(plan.findings));
  return plan.stages;
}

export async function applyAll(world: Pick<AsoTestWorld, 'apply'>, stages: readonly PlannedStage[]): Promise<void> {
  for (const { cluster: where, manifests } of stages) {
    if (where === 'management') for (const one of manifests) await world.apply(one as unknown as JsonObject);
  }
}

/** The way into a new cluster, as the exported Secret says. */
export function connectNew(world: AsoTestWorld, id: string): ClusterApi {
  const running = world.aso.clusters.get(id);
  if (running === undefined) throw new Error(`no cluster ${id}`);
  return connectCluster({
    name: 'new',
    url: running.server.url,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    log: silentLog,
    requestTimeoutMs: 20_000,
    fieldManager: 'poolwright',
  });
}

export const definitionNames = async (api: ClusterApi): Promise<string[]> =>
  mustBe(await api.list<KubeObject>(customResourceDefinitions))
    .items.map(({ metadata }) => metadata.name)
    .sort();

export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
