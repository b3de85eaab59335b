/** A migration while the host is at work: it leaves a request alone that is KRO's, and carries it out from the hand-over on. */
import { expect, it, onTestFinished } from 'vitest';
import { commit, planCommit } from '../../../shared/clusters/migration/commit/commit.ts';
import { rollback } from '../../../shared/clusters/migration/rollback.ts';
import { findCondition } from '../../../shared/kube/conditions.ts';
import { customResourceDefinitions } from '../../../shared/kube/contract.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { asJson, team } from '../../sim/aso/world.ts';
import { definitionOf, graphDefinition, platformKind, roleDefinition } from '../../stand-ins/kro/objects.ts';
import { type RequestWorld, requestWorld } from '../request-world.ts';
import { type MigrationWorld, migrationWorld, signal } from './world.ts';

async function world(): Promise<{ made: MigrationWorld; host: RequestWorld }> {
  const host = await requestWorld();
  const { api, connect, aso, url } = host.aso;
  for (const one of [graphDefinition, definitionOf(platformKind), roleDefinition]) {
    mustBe(await api.create(customResourceDefinitions, asJson(one)));
  }
  const made = await migrationWorld(
    {},
    {},
    {
      api,
      url,
      connect,
      aso,
      clock: host.clock,
      namespace: team,
      kind: platformKind,
      graphName: 'aks-cluster',
      round: () => host.round(),
      close: () => host.close(),
    },
  );
  onTestFinished(() => made.close());
  return { made, host };
}

const isReady = async ({ request }: MigrationWorld): Promise<boolean> => {
  const { status, metadata } = (await request()) ?? {};
  return (
    findCondition(status?.conditions, 'Ready')?.status === 'True' && status?.observedGeneration === metadata?.generation
  );
};

it('ends with a request that is Ready and committed, and nothing of it ever ended', async () => {
  const { made, host } = await world();
  const before = await made.uids();
  const { living } = made.azure();

  mustBe(await made.adopt());
  await host.until(() => isReady(made), 3600);

  expect(await made.uids()).toEqual(before);
  const plan = mustBe(await planCommit(made.parts(), await made.records(), signal));
  expect(plan.findings).toEqual([]);
  mustBe(await commit(made.parts(), plan, signal));
  await host.until(() => isReady(made), 3600);
  const cluster = await made.child('ManagedCluster', 'web');
  expect(cluster?.metadata.annotations?.['serviceoperator.azure.com/reconcile-policy']).toBe('manage');
  expect(await made.uids()).toEqual(before);
  expect(made.azure()).toEqual({ living, gone: [] });
});

it('goes back to KRO while the host watches', async () => {
  const { made, host } = await world();
  const before = await made.uids();
  mustBe(await made.adopt());
  await host.until(() => isReady(made), 3600);
  const [record] = await made.records();

  mustBe(await rollback(made.parts(), record!, signal));
  for (let round = 0; round < 5; round++) await made.turn();

  expect((await made.instance()).object.status).toMatchObject({ state: 'ACTIVE' });
  expect(findCondition((await made.request())?.status?.conditions, 'Ready')?.reason).toBe('CarriedOutElsewhere');
  expect(await made.uids()).toEqual(before);
  expect(made.azure().gone).toEqual([]);
  // Nothing belongs to the request any more: deleting it takes nothing with it.
  await host.delete();
  await host.pass(600);
  expect(await made.request()).toBeUndefined();
  expect(await made.uids()).toEqual(before);
  expect((await made.instance()).object.status).toMatchObject({ state: 'ACTIVE' });
  expect(made.azure().gone).toEqual([]);
});
