/** The hand-over under the worst: it dies at every write, and KRO acts between any two. Never a delete in Azure, never both at work. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../shared/base/runtime.ts';
import { readObject } from '../../../shared/clusters/migration/kro/read.ts';
import { isSuspended } from '../../../shared/clusters/migration/kro/state.ts';
import { listRecords } from '../../../shared/clusters/migration/record.ts';
import { rollback } from '../../../shared/clusters/migration/rollback.ts';
import { requestAnnotations } from '../../../shared/clusters/request/marks.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { team } from '../../sim/aso/world.ts';
import { ofInstance, type PlatformOptions, platformKind } from '../../stand-ins/kro/objects.ts';
import { dying, interrupted, Killed } from './trouble.ts';
import { type MigrationWorld, migrationWorld, signal } from './world.ts';

const owned: PlatformOptions = {
  metadata: {
    ownerReferences: [
      {
        apiVersion: 'kro.run/v1alpha1',
        kind: 'AKSCluster',
        name: ofInstance('metadata.name'),
        uid: ofInstance('metadata.uid'),
      },
    ],
  },
};

async function world(options?: PlatformOptions): Promise<MigrationWorld> {
  const made = await migrationWorld(options);
  onTestFinished(() => made.close());
  return made;
}

/** KRO acts on an instance that is there and not suspended; the host on a request that is not set aside. */
async function bothAct({ api, request }: MigrationWorld): Promise<boolean> {
  const instance = mustBe(await readObject(api, platformKind, { name: 'web', namespace: team }, signal));
  const direct = (await request())?.metadata.annotations?.[requestAnnotations.carriedOutBy] === 'direct';
  return direct && instance !== undefined && !isSuspended(instance);
}

async function untouched(made: MigrationWorld, before: Awaited<ReturnType<MigrationWorld['uids']>>): Promise<void> {
  expect(made.azure().gone).toEqual([]);
  expect(made.kro.deleted).toEqual([]);
  expect(await made.uids()).toEqual(before);
  expect(await bothAct(made)).toBe(false);
}

/** True: it died. */
async function killed(run: () => Promise<{ ok: boolean; error?: { message: string } }>): Promise<boolean> {
  try {
    const done = await run();
    if (!done.ok) throw new Error(done.error?.message);
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

it('goes on after a death right after any write, which is right before the next one', async () => {
  for (let at = 1; ; at++) {
    const made = await migrationWorld(owned);
    try {
      const before = await made.uids();
      const died = await killed(() => made.adopt(dying(made.api, at)));
      await made.turn();
      await untouched(made, before);
      mustBe(await made.adopt());
      for (let round = 0; round < 3; round++) await made.turn();
      await untouched(made, before);
      expect((await made.request())?.metadata.annotations?.[requestAnnotations.carriedOutBy]).toBe('direct');
      if (!died) {
        expect(at).toBeGreaterThan(10);
        return;
      }
    } finally {
      await made.close();
    }
  }
}, 300_000);

it.each([1, 2, 3])('survives KRO at work between any two writes (seed %i)', async (seed) => {
  const made = await world(owned);
  const before = await made.uids();
  const random = seededRandom(seed);
  const act = async (): Promise<void> => {
    if (random() < 0.4) await made.kro.round();
    if (random() < 0.2) await made.turn();
    expect(await bothAct(made)).toBe(false);
  };

  mustBe(await made.adopt(interrupted(made.api, act)));

  await untouched(made, before);
});

it('gives up on a KRO that is always faster, names it, and goes on when it is stopped', async () => {
  const made = await world();
  const before = await made.uids();
  const relentless = interrupted(made.api, () => made.kro.round());

  const stuck = await made.adopt(relentless);

  expect(stuck).toMatchObject({ ok: false, error: { code: 'MigrationStuck' } });
  await untouched(made, before);
  mustBe(await made.adopt());
  await untouched(made, before);
});

describe('the way back', () => {
  it('gives the cluster to KRO again, as it was', async () => {
    const made = await world(owned);
    const before = { uids: await made.uids(), spec: (await made.child('ManagedCluster', 'web'))?.spec };
    mustBe(await made.adopt());
    const [record] = mustBe(await listRecords(made.api, {}, signal));

    mustBe(await rollback(made.parts(), record!, signal));
    for (let round = 0; round < 3; round++) await made.turn();

    await untouched(made, before.uids);
    const { object } = await made.instance();
    expect(object).toMatchObject({ status: { state: 'ACTIVE' }, metadata: { finalizers: ['kro.run/finalizer'] } });
    const cluster = await made.child('ManagedCluster', 'web');
    expect(cluster?.spec).toEqual(before.spec);
    expect(cluster?.metadata.labels).toMatchObject({ 'kro.run/instance-id': object.metadata.uid });
    expect(cluster?.metadata.labels).not.toHaveProperty('poolwright.dev/cluster-request-uid');
    expect(cluster?.metadata.annotations ?? {}).not.toHaveProperty('serviceoperator.azure.com/reconcile-policy');
    expect((await made.request())?.metadata.annotations?.[requestAnnotations.carriedOutBy]).toBe('kro');
    expect(mustBe(await listRecords(made.api, {}, signal))).toEqual([]);
    // And again.
    mustBe(await made.adopt());
    await untouched(made, before.uids);
  });

  it('goes on after a death right after any write', async () => {
    const back = async (made: MigrationWorld, api?: ClusterApi) => {
      const [record] = mustBe(await listRecords(made.api, {}, signal));
      return record === undefined ? { ok: true as const } : rollback(made.parts(api), record, signal);
    };
    for (let at = 1; ; at++) {
      const made = await migrationWorld(owned);
      try {
        const before = await made.uids();
        mustBe(await made.adopt());
        const died = await killed(() => back(made, dying(made.api, at)));
        await made.turn();
        await untouched(made, before);
        const again = await back(made);
        expect(again.ok).toBe(true);
        await made.turn();
        await untouched(made, before);
        if (!died) {
          expect(at).toBeGreaterThan(8);
          return;
        }
      } finally {
        await made.close();
      }
    }
  }, 300_000);

  it('is there from the middle of a hand-over too', async () => {
    for (let at = 3; at < 14; at += 2) {
      const made = await migrationWorld(owned);
      try {
        const before = await made.uids();
        await killed(() => made.adopt(dying(made.api, at)));
        const [record] = mustBe(await listRecords(made.api, {}, signal));
        mustBe(await rollback(made.parts(), record!, signal));
        await made.turn();
        await untouched(made, before);
        expect((await made.instance()).object.status).toMatchObject({ state: 'ACTIVE' });
      } finally {
        await made.close();
      }
    }
  }, 300_000);

  it('is there after a user has deleted the instance in the middle, and with it the objects in Kubernetes', async () => {
    const made = await world();
    const { living } = made.azure();
    await killed(() => made.adopt(dying(made.api, 5)));
    const { object, graph } = await made.instance();
    const ref = { name: 'web', namespace: team };
    mustBe(await made.api.delete(graph.instances, ref, { uid: object.metadata.uid }));
    for (let round = 0; round < 3; round++) await made.turn();
    expect(made.kro.deleted).toContain('ManagedCluster/web');
    expect(await made.adopt()).toMatchObject({ ok: false, error: { code: 'MigrationStuck' } });

    const [record] = await made.records();
    mustBe(await rollback(made.parts(), record!, signal));
    for (let round = 0; round < 3; round++) await made.turn();

    expect(made.azure()).toEqual({ living, gone: [] });
    expect((await made.instance()).object.status).toMatchObject({ state: 'ACTIVE' });
    expect((await made.child('ManagedCluster', 'web'))?.status).toMatchObject({ id: expect.any(String) });
  });
});
