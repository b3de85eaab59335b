/** The migration on a real API server, with the definitions of KRO and of Azure Service Operator: real field managers, preconditions and strict checks. */
import { beforeAll, describe, expect, it } from 'vitest';
import { manualClock, seededRandom } from '../../../shared/base/runtime.ts';
import { assess, isEquivalent } from '../../../shared/clusters/migration/assess.ts';
import { commit, planCommit } from '../../../shared/clusters/migration/commit/commit.ts';
import { pluralOf } from '../../../shared/clusters/migration/kro/kinds.ts';
import { readObject } from '../../../shared/clusters/migration/kro/read.ts';
import { isSuspended } from '../../../shared/clusters/migration/kro/state.ts';
import { rollback } from '../../../shared/clusters/migration/rollback.ts';
import { clusterRequestDefinition } from '../../../shared/clusters/request/definition.ts';
import { requestAnnotations } from '../../../shared/clusters/request/marks.ts';
import { toCrd } from '../../../shared/kube/crds/crd.ts';
import { startAso } from '../../../sim/aso/aso.ts';
import { fluxDefinitions } from '../../../sim/aso/definitions.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import type { KubeManifest } from '../../kube/cluster.ts';
import { freshName, useKube } from '../../kube/use-kube.ts';
import { definitionOf, type PlatformKind } from '../../stand-ins/kro/objects.ts';
import { definitionsAreThere, foreignDefinitions, whereDefinitionsAre } from '../foreign-definitions.ts';
import { dying, interrupted, Killed } from './trouble.ts';
import { type Ground, type MigrationWorld, migrationWorld, signal } from './world.ts';

const kube = useKube();
const manifest = (value: unknown): KubeManifest => value as KubeManifest;

/** A namespace, a graph and a kind of its own: other tests are on the server at the same time. */
async function ground(): Promise<Ground> {
  const namespace = freshName('migration');
  const letters = namespace.replace(/[^a-z0-9]/g, '');
  const kindName = `AKSCluster${letters}`;
  const kind: PlatformKind = {
    group: 'kro.run',
    version: 'v1alpha1',
    plural: pluralOf(kindName),
    kind: kindName,
    namespaced: true,
  };
  await kube.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    manifest(definitionOf(kind)),
  );
  const clock = manualClock(Date.now());
  const connect = (fieldManager: string) => kube.connect({ fieldManager });
  const api = connect('poolwright');
  const operatorApi = connect('aso-controller');
  const aso = await startAso({ api: operatorApi, clock, wakeByItself: false, settings: instantly });
  return {
    api,
    url: kube.url,
    clock,
    connect,
    aso,
    namespace,
    kind,
    graphName: `graph-of-${namespace}`,
    close: async () => {
      await aso.close();
      api.close();
      operatorApi.close();
    },
  };
}

async function untouched(made: MigrationWorld, before: Record<string, string>): Promise<void> {
  expect(made.azure().gone).toEqual([]);
  expect(made.kro.deleted).toEqual([]);
  expect(await made.uids()).toEqual(before);
  const { graph, object } = await made.instance().catch(() => ({ graph: undefined, object: undefined }));
  const instance = graph && mustBe(await readObject(made.api, graph.instances, object.metadata, signal));
  const direct = (await made.request())?.metadata.annotations?.[requestAnnotations.carriedOutBy] === 'direct';
  expect(direct && instance !== undefined && !isSuspended(instance)).toBe(false);
}

describe.skipIf(!definitionsAreThere)(`a migration from KRO ${whereDefinitionsAre}`, () => {
  beforeAll(async () => {
    const definitions = [...foreignDefinitions('azure-service-operator-2.20.0'), ...foreignDefinitions('kro-0.9.3')];
    for (const one of definitions) await kube.apply(one);
    for (const one of [...fluxDefinitions, toCrd(clusterRequestDefinition, 'test')]) await kube.apply(manifest(one));
  }, 180_000);

  const withWorld = async (use: (made: MigrationWorld) => Promise<void>): Promise<void> => {
    const made = await migrationWorld({}, {}, await ground());
    try {
      await use(made);
    } finally {
      await made.close();
    }
  };

  it('goes from the comparison to the commit, and nothing ends', () =>
    withWorld(async (made) => {
      const before = await made.uids();
      expect(Object.values(before)).not.toContain('gone');
      const compared = mustBe(await assess(made.parts(), await made.instance(), { acceptChanges: false }, signal));
      expect(compared.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(isEquivalent(compared)).toBe(true);

      mustBe(await made.adopt());
      await untouched(made, before);
      const cluster = await made.child('ManagedCluster', 'web');
      expect(cluster?.metadata.managedFields?.map(({ manager }) => manager)).not.toContain('kro.run/applyset');

      await made.hostIsDone();
      const plan = mustBe(await planCommit(made.parts(), await made.records(), signal));
      expect(plan.findings).toEqual([]);
      // Other tests have graphs on the same server.
      const own = plan.graphs.unused.filter(({ name }) => name.endsWith(made.namespace));
      expect(own).toHaveLength(1);
      const definitions = plan.leftovers.definitions.filter(({ resource }) => own[0]?.instances.kind === resource.kind);
      const only = {
        ...plan,
        graphs: { ...plan.graphs, unused: own },
        leftovers: { revisions: [], definitions },
        roles: [],
      };
      mustBe(await commit(made.parts(), only, signal));
      await untouched(made, before);
      expect(await made.records()).toEqual([]);
    }));

  it('survives KRO at work between any two writes, and goes back', () =>
    withWorld(async (made) => {
      const before = await made.uids();
      const random = seededRandom(7);
      const act = async (): Promise<void> => (random() < 0.4 ? made.kro.round() : undefined);
      mustBe(await made.adopt(interrupted(made.api, act)));
      await untouched(made, before);

      const [record] = await made.records();
      mustBe(await rollback(made.parts(interrupted(made.api, act)), record!, signal));
      await made.turn();
      await untouched(made, before);
      expect((await made.instance()).object.status).toMatchObject({ state: 'ACTIVE' });
    }));

  it('goes on after a death right after any write', async () => {
    for (let at = 1, died = true; died; at++) {
      await withWorld(async (made) => {
        const before = await made.uids();
        died = false;
        try {
          mustBe(await made.adopt(dying(made.api, at)));
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          died = true;
        }
        await untouched(made, before);
        mustBe(await made.adopt());
        await made.turn();
        await untouched(made, before);
      });
    }
  }, 600_000);
});
