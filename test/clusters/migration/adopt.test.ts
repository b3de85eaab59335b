/** A cluster of KRO becomes one of a request, and nothing of it ends: whatever dies, and whenever KRO acts. */
import { expect, it, onTestFinished } from 'vitest';
import { findInstances } from '../../../shared/clusters/migration/kro/read.ts';
import { requestAnnotations } from '../../../shared/clusters/request/marks.ts';
import { manifestsOf } from '../../../shared/clusters/steps/judge.ts';
import { advanceManagement } from '../../../shared/clusters/steps/management-stage.ts';
import { wantedWorkflow } from '../../../shared/clusters/steps/phase.ts';
import { recordOf } from '../../../shared/clusters/steps/record.ts';
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
  expect(mustBe(await findInstances(made.api, {}, signal))).toEqual([]);
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

it('leaves nothing to change for the host that carries the request out then', async () => {
  const made = await world();
  mustBe(await made.adopt());
  const request = (await made.request())!;
  const record = recordOf(request)!;
  const puts = () => made.azureWorld.living().map(({ puts: count }) => count);
  const before = puts();
  const { driver, deployment } = made.parts();

  expect(wantedWorkflow(request, made.clock.now())).toBe('provision-cluster');
  for (const stage of manifestsOf({ deployment }, record)) {
    if (stage.cluster !== 'management') continue;
    const progress = await advanceManagement(driver, stage, () => {}, signal);
    expect(progress).toMatchObject({ state: 'ready' });
  }
  await made.turn();

  expect(puts()).toEqual(before);
});

it('is of the request for good: a change of it is applied without a conflict', async () => {
  const made = await world();
  mustBe(await made.adopt());
  const record = recordOf((await made.request())!)!;
  const { driver, deployment } = made.parts();
  const changed = { ...record, resolved: { ...record.resolved, deleteGuard: false, kubernetesVersion: '1.36' } };
  for (const stage of manifestsOf({ deployment }, changed)) {
    if (stage.cluster === 'management') for (const one of stage.manifests) mustBe(await driver.apply(one, signal));
  }

  const cluster = await made.child('ManagedCluster', 'web');
  expect(cluster?.spec).toMatchObject({ kubernetesVersion: '1.36' });
  expect(cluster?.metadata.annotations?.['serviceoperator.azure.com/reconcile-policy']).toBe('manage');
});
