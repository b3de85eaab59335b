/** The end of a migration: what nothing uses is removed, after that has been shown. */
import { expect, it, onTestFinished } from 'vitest';
import { commit, planCommit } from '../../../shared/clusters/migration/commit/commit.ts';
import { graphResource } from '../../../shared/clusters/migration/kro/graph.ts';
import { listRecords, type MigrationRecord } from '../../../shared/clusters/migration/record.ts';
import { customResourceDefinitions, type KubeObject, type Resource } from '../../../shared/kube/contract.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { asJson, team } from '../../sim/aso/world.ts';
import { platformInstance, platformKind } from '../../stand-ins/kro/objects.ts';
import { dying, Killed } from './trouble.ts';
import { type MigrationWorld, migrationWorld, signal } from './world.ts';

const roles: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'idp-backend-workflow-manager' },
  rules: [
    { apiGroups: ['kro.run'], resources: ['*'], verbs: ['*'] },
    { apiGroups: ['kro.run', 'containerservice.azure.com'], resources: ['*'], verbs: ['get'] },
  ],
};

async function world(): Promise<MigrationWorld> {
  const made = await migrationWorld();
  onTestFinished(() => made.close());
  mustBe(await made.api.create(roles, asJson(role)));
  return made;
}

const recordsOf = async ({ api }: MigrationWorld): Promise<MigrationRecord[]> =>
  mustBe(await listRecords(api, {}, signal));

const exists = async ({ api }: MigrationWorld, resource: Resource, name: string): Promise<boolean> =>
  (await api.get<KubeObject>(resource, { name })).ok;

it('waits until the request has been brought to Ready by a host', async () => {
  const made = await world();
  mustBe(await made.adopt());

  const plan = mustBe(await planCommit(made.parts(), await recordsOf(made), signal));

  expect(plan.findings).toMatchObject([{ code: 'MigrationNotDone', field: 'ClusterRequest team-a/web' }]);
  expect(await commit(made.parts(), plan, signal)).toMatchObject({ ok: false, error: { code: 'MigrationNotDone' } });
  expect(await exists(made, graphResource, 'aks-cluster')).toBe(true);
  expect(await recordsOf(made)).toHaveLength(1);
});

it('lifts the guard, and removes the graph, its kind and the rights', async () => {
  const made = await world();
  mustBe(await made.adopt());
  await made.hostIsDone();
  const uids = await made.uids();
  const plan = mustBe(await planCommit(made.parts(), await recordsOf(made), signal));
  expect(plan.findings).toEqual([]);
  expect(plan.graphs.unused.map(({ name }) => name)).toEqual(['aks-cluster']);

  mustBe(await commit(made.parts(), plan, signal));
  await made.turn();

  expect((await made.request())?.spec).not.toHaveProperty('deleteGuard');
  expect(await recordsOf(made)).toEqual([]);
  expect(await exists(made, graphResource, 'aks-cluster')).toBe(false);
  expect(await exists(made, customResourceDefinitions, 'aksclusters.kro.run')).toBe(false);
  const left = mustBe(await made.api.get<KubeObject & { rules?: unknown }>(roles, { name: role.metadata.name }));
  expect(left.rules).toEqual([{ apiGroups: ['containerservice.azure.com'], resources: ['*'], verbs: ['get'] }]);
  expect(await made.uids()).toEqual(uids);
  expect(made.azure().gone).toEqual([]);
});

it('leaves a graph that has another instance, and the rights', async () => {
  const made = await world();
  mustBe(await made.adopt());
  await made.hostIsDone();
  mustBe(await made.api.create(platformKind, asJson(platformInstance('other', team))));
  for (let round = 0; round < 4; round++) await made.turn();

  const plan = mustBe(await planCommit(made.parts(), await recordsOf(made), signal));
  mustBe(await commit(made.parts(), plan, signal));

  expect(plan.graphs.used).toMatchObject([{ instances: 1, uncommitted: 0 }]);
  expect(plan.roles).toEqual([]);
  expect(await exists(made, graphResource, 'aks-cluster')).toBe(true);
  expect(await recordsOf(made)).toEqual([]);
});

it('goes on after a death right after any write, also where KRO does not run any more', async () => {
  for (let at = 1; ; at++) {
    const made = await migrationWorld();
    try {
      mustBe(await made.api.create(roles, asJson(role)));
      mustBe(await made.adopt());
      await made.hostIsDone();
      const run = async (api = made.api): Promise<void> => {
        const parts = { ...made.parts(api), wait: async (ms: number) => made.clock.advance(ms) };
        const plan = mustBe(await planCommit(parts, await recordsOf(made), signal));
        mustBe(await commit(parts, plan, signal));
      };
      let died = false;
      try {
        await run(dying(made.api, at));
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        died = true;
        // The guard is a change of the request, which a host carries out.
        await made.hostIsDone();
      }
      await run();
      expect(await exists(made, graphResource, 'aks-cluster')).toBe(false);
      expect(await exists(made, customResourceDefinitions, 'aksclusters.kro.run')).toBe(false);
      expect(made.azure().gone).toEqual([]);
      if (!died) {
        expect(at).toBeGreaterThan(4);
        return;
      }
    } finally {
      await made.close();
    }
  }
}, 300_000);
