/** A management cluster with KRO, Azure Service Operator and one cluster that KRO has made. Time passes where a migration waits. */
import type { JsonObject } from '../../../shared/base/json.ts';
import { createAsoDriver } from '../../../shared/clusters/drivers/aso/driver.ts';
import { adopt } from '../../../shared/clusters/migration/adopt/adopt.ts';
import { type AnyObject, graphResource } from '../../../shared/clusters/migration/kro/graph.ts';
import { findInstances, type Instance } from '../../../shared/clusters/migration/kro/read.ts';
import type { MigrationParts } from '../../../shared/clusters/migration/parts.ts';
import { listRecords } from '../../../shared/clusters/migration/record.ts';
import { builtInPoolTypes } from '../../../shared/clusters/pool-types/built-in.ts';
import { clusterRequests } from '../../../shared/clusters/request/kind.ts';
import type { StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../../shared/clusters/store/kube.ts';
import { type ClusterApi, customResourceDefinitions } from '../../../shared/kube/contract.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { type AsoTestWorld, asJson, asoWorld, resourceOf, team } from '../../sim/aso/world.ts';
import { Kro, kroManager } from '../../stand-ins/kro/kro.ts';
import {
  definitionOf,
  graphDefinition,
  type PlatformOptions,
  platformGraph,
  platformInstance,
  platformKind,
  roleDefinition,
} from '../../stand-ins/kro/objects.ts';

export const signal = new AbortController().signal;

export interface MigrationWorld {
  aso: AsoTestWorld;
  kro: Kro;
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
  close(): Promise<void>;
}

export async function migrationWorld(options: PlatformOptions = {}, spec: JsonObject = {}): Promise<MigrationWorld> {
  const aso = await asoWorld({ settings: instantly });
  const { api, clock } = aso;
  const definitions = [graphDefinition, definitionOf(platformKind), roleDefinition];
  for (const one of definitions) mustBe(await api.create(customResourceDefinitions, asJson(one)));
  const kroApi = aso.connect(kroManager);
  const kro = new Kro(kroApi);
  mustBe(await api.create(graphResource, asJson(platformGraph(options))));
  mustBe(await api.create(platformKind, asJson(platformInstance('web', team, spec))));
  const steps: string[] = [];
  const turn = async (): Promise<void> => {
    await kro.round();
    clock.advance(1000);
    await aso.aso.settle();
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
    const [found] = mustBe(await findInstances(api, { name }, signal));
    if (found === undefined) throw new Error(`no instance ${name}`);
    return found;
  };
  return {
    aso,
    kro,
    parts,
    steps,
    turn,
    instance,
    adopt: async (through) => {
      const [record] = mustBe(await listRecords(api, {}, signal));
      const wanted = record === undefined ? { instance: await instance() } : { record };
      return adopt(parts(through), wanted, { acceptChanges: false }, signal);
    },
    async request(name = 'web') {
      const found = await api.get<StoredRequest>(clusterRequests, { name, namespace: team });
      return found.ok ? found.value : undefined;
    },
    child: (kind, name) => aso.get(kind, name) as Promise<AnyObject | undefined>,
    async uids() {
      const found: Record<string, string> = {};
      for (const [kind, name] of [
        ['ResourceGroup', 'rg-web'],
        ['ManagedCluster', 'web'],
      ] as const) {
        const object = await api.get<AnyObject>(resourceOf(kind), { name, namespace: team });
        found[`${kind}/${name}`] = object.ok ? object.value.metadata.uid : 'gone';
      }
      return found;
    },
    azure: () => ({
      living: aso.aso.azure.living().map(({ id }) => id),
      gone: aso.aso.azure
        .ledger()
        .flatMap(({ id, goneAt, operation, last }) =>
          goneAt !== null || operation?.verb === 'delete' || last?.id.includes('-delete-') === true ? [id] : [],
        ),
    }),
    async close() {
      kroApi.close();
      await aso.close();
    },
  };
}
