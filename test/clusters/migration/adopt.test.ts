/** A cluster of KRO becomes one of a request, and nothing of it ends: whatever dies, and whenever KRO acts. */
import { expect, it, onTestFinished } from 'vitest';
import { findInstances } from '../../../shared/clusters/migration/kro/read.ts';
import { requestAnnotations } from '../../../shared/clusters/request/marks.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import type { PlatformOptions } from '../../stand-ins/kro/objects.ts';
import { type MigrationWorld, migrationWorld, signal } from './world.ts';

async function world(options?: PlatformOptions): Promise<MigrationWorld> {
  const made = await migrationWorld(options);
  onTestFinished(() => made.close());
  return made;
}

it('changes hands without a trace in Azure', async () => {
  const made = await world();
  const before = { uids: await made.uids(), azure: made.azure() };
  expect(before.azure.living).toHaveLength(2);
  expect((await made.child('ManagedCluster', 'web'))?.metadata.labels).toHaveProperty('kro.run/instance-id');

  const adopted = mustBe(await made.adopt());

  expect(await made.uids()).toEqual(before.uids);
  expect(made.azure()).toEqual({ living: before.azure.living, gone: [] });
  expect(made.kro.deleted).toEqual([]);
  expect(adopted.proofs.map(({ uid }) => uid).toSorted()).toEqual(Object.values(before.uids).toSorted());
  expect(mustBe(await findInstances(made.aso.api, {}, signal))).toEqual([]);
  const request = await made.request();
  expect(request).toMatchObject({ spec: { location: 'westeurope', deleteGuard: true } });
  expect(request?.metadata.annotations?.[requestAnnotations.carriedOutBy]).toBe('direct');
  const cluster = await made.child('ManagedCluster', 'web');
  expect(cluster?.metadata.labels).toMatchObject({ 'poolwright.dev/cluster-request-uid': request?.metadata.uid });
  expect(
    Object.keys(cluster?.metadata.labels ?? {}).filter((key) => key.includes('kro') || key.includes('applyset')),
  ).toEqual([]);
  expect(cluster?.metadata.managedFields?.some(({ manager }) => manager?.includes('kro'))).toBe(false);
  expect(cluster?.metadata.annotations?.['serviceoperator.azure.com/reconcile-policy']).toBe('detach-on-delete');
});
