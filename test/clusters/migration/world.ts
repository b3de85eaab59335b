/** A management cluster with KRO, Azure Service Operator and one cluster that KRO has made. Time passes where a migration waits. */
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { createAsoDriver } from '../../../shared/clusters/drivers/aso/driver.ts';
import { adopt } from '../../../shared/clusters/migration/adopt/adopt.ts';
import { type AnyObject, graphResource } from '../../../shared/clusters/migration/kro/graph.ts';
import { findInstances, type Instance } from '../../../shared/clusters/migration/kro/read.ts';
import type { MigrationParts } from '../../../shared/clusters/migration/parts.ts';
import { listRecords, type MigrationRecord } from '../../../shared/clusters/migration/record.ts';
import { builtInPoolTypes } from '../../../shared/clusters/pool-types/built-in.ts';
import { clusterRequests } from '../../../shared/clusters/request/kind.ts';
import type { StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../../shared/clusters/store/kube.ts';
import { type ClusterApi, customResourceDefinitions } from '../../../shared/kube/contract.ts';
import type { Aso } from '../../../sim/aso/aso.ts';
import type { AzureWorld } from '../../../sim/aso/azure/world.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { asJson, asoWorld, resourceOf, team } from '../../sim/aso/world.ts';
import { Kro, kroManager } from '../../stand-ins/kro/kro.ts';
import {
  definitionOf,
  graphDefinition,
  type PlatformKind,
  type PlatformOptions,
  platformGraph,
  platformInstance,
  platformKind,
  roleDefinition,
} from '../../stand-ins/kro/objects.ts';

export const signal = new AbortController().signal;

export interface MigrationWorld {
  api: ClusterApi;
  /** Of the API server. */
  url: string;
  namespace: string;
  clock: Clock & { advance(milliseconds: number): void };
  kro: Kro;
  azureWorld: AzureWorld;
  /** As the command has them; `api` may be another one, which dies. */
  parts(api?: ClusterApi): MigrationParts;
  steps: string[];
  /** A round of everybody, and a second passes. */
  turn(): Promise<void>;
  instance(name?: string): Promise<Instance>;
  adopt(api?: ClusterApi): ReturnType<typeof adopt>;
  request(name?: string): Promise<StoredRequest | undefined>;
  child(kind: string, name: string): Promise<AnyObject | undefined>;
  uids(): Promise<Record<string, string>>;
  /** Ids of what Azure has, and what it was ever told to delete. */
  azure(): { living: string[]; gone: string[] };
  records(): Promise<MigrationRecord[]>;
  /** Writes what a host would have written by then. */
  hostIsDone(): Promise<void>;
  close(): Promise<void>;
}

/** An API server with the kinds of all, and the operator at work on it. */
export interface Ground {
  api: ClusterApi;
  url: string;
  namespace: string;
  clock: Clock & { advance(milliseconds: number): void };
  connect(fieldManager: string): ClusterApi;
  aso: Aso;
  kind: PlatformKind;
  graphName: string;
  /** Of whoever else is at work. */
  round?(): Promise<void>;
  close(): Promise<void>;
}

async function simulatedGround(): Promise<Ground> {
  const world = await asoWorld({ settings: instantly });
  for (const one of [graphDefinition, definitionOf(platformKind), roleDefinition]) {
    mustBe(await world.api.create(customResourceDefinitions, asJson(one)));
  }
  const { api, clock, connect, aso } = world;
  return {
    api,
    url: world.url,
    clock,
    connect,
    aso,
    namespace: team,
    kind: platformKind,
    graphName: 'aks-cluster',
    close: () => world.close(),
  };
}

export async function migrationWorld(
  options: PlatformOptions = {},
  spec: JsonObject = {},
  given?: Ground,
): Promise<MigrationWorld> {
  const ground = given ?? (await simulatedGround());
  const { api, clock, aso, namespace, kind, graphName } = ground;
  const kroApi = ground.connect(kroManager);
  const kro = new Kro(kroApi, graphName);
  mustBe(await api.create(graphResource, asJson(platformGraph({ ...options, kind: kind.kind, graphName }))));
  mustBe(await api.create(kind, asJson(platformInstance('web', namespace, spec, kind.kind))));
  const steps: string[] = [];
  const turn = async (): Promise<void> => {
    await kro.round();
    clock.advance(1000);
    await aso.settle();
    await ground.round?.();
  };
  for (let round = 0; round < 6; round++) await turn();
  const parts = (through: ClusterApi = api): MigrationParts => ({
    api: through,
    driver: createAsoDriver({ api: through, clock }),
    store: kubeRequestStore(through),
    types: builtInPoolTypes,
    deployment: 'test',
    clock,
    wait: async (milliseconds) => {
      clock.advance(Math.max(0, milliseconds - 1000));
      await turn();
    },
    say: (step, subject) => void steps.push(`${step} ${subject}`),
  });
  const instance = async (name = 'web'): Promise<Instance> => {
    const [found] = mustBe(await findInstances(api, { name, namespace }, signal));
    if (found === undefined) throw new Error(`no instance ${name}`);
    return found;
  };
  const records = async (): Promise<MigrationRecord[]> => mustBe(await listRecords(api, { namespace }, signal));
  const child = async (kindName: string, name: string): Promise<AnyObject | undefined> => {
    const found = await api.get<AnyObject>(resourceOf(kindName), { name, namespace });
    return found.ok ? found.value : undefined;
  };
  return {
    api,
    url: ground.url,
    namespace,
    clock,
    kro,
    azureWorld: aso.azure,
    parts,
    steps,
    turn,
    instance,
    adopt: async (through) => {
      const [record] = await records();
      const wanted = record === undefined ? { instance: await instance() } : { record };
      return adopt(parts(through), wanted, { acceptChanges: false }, signal);
    },
    async request(name = 'web') {
      const found = await api.get<StoredRequest>(clusterRequests, { name, namespace });
      return found.ok ? found.value : undefined;
    },
    child,
    async uids() {
      const group = (await child('ResourceGroup', 'rg-web'))?.metadata.uid ?? 'gone';
      return { group, cluster: (await child('ManagedCluster', 'web'))?.metadata.uid ?? 'gone' };
    },
    azure: () => ({
      living: aso.azure.living().map(({ id }) => id),
      gone: aso.azure
        .ledger()
        .flatMap(({ id, goneAt, operation, last }) =>
          goneAt !== null || operation?.verb === 'delete' || last?.id.includes('-delete-') === true ? [id] : [],
        ),
    }),
    records,
    async hostIsDone() {
      const ref = { name: 'web', namespace };
      const { metadata } = mustBe(await api.get<StoredRequest>(clusterRequests, ref));
      const lastTransitionTime = '2026-11-19T00:00:00Z';
      const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime };
      const status = { observedGeneration: metadata.generation ?? 0, conditions: [ready] };
      const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status };
      mustBe(await api.mergePatch(clusterRequests, ref, patch, { subresource: 'status' }));
    },
    async close() {
      kroApi.close();
      await ground.close();
    },
  };
}
