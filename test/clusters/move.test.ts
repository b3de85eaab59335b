/** A request that was kept in the state goes into the first cluster: nothing in Azure is made, removed or doubled. */
import { afterEach, describe, expect, it } from 'vitest';
import { expiry } from '../../shared/clusters/activities/begin.ts';
import { moveRequest } from '../../shared/clusters/move/move.ts';
import type { MoveResult } from '../../shared/clusters/move/result.ts';
import { requestAnnotations } from '../../shared/clusters/request/marks.ts';
import { manifestsOf } from '../../shared/clusters/steps/judge.ts';
import { registeredName } from '../../shared/clusters/steps/new-stage.ts';
import { wantedWorkflow } from '../../shared/clusters/steps/phase.ts';
import { recordOf } from '../../shared/clusters/steps/record.ts';
import { refOf } from '../../shared/clusters/steps/workflow-key.ts';
import { doubled, requestOf } from '../../sim/aso/azure/ledger.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { bring } from '../conformance/cluster-drivers/harness.ts';
import { type MoveWorld, moveWorld } from './move-world.ts';

const signal = new AbortController().signal;
const open: MoveWorld[] = [];
async function start(options?: Parameters<typeof moveWorld>[0]): Promise<MoveWorld> {
  const world = await moveWorld(options);
  open.push(world);
  return world;
}
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

const once = (world: MoveWorld): Promise<MoveResult> =>
  moveRequest(world.services, refOf('state', world.request), 'first', signal);

async function move(world: MoveWorld, rounds = 30): Promise<MoveResult> {
  let result: MoveResult = { do: 'again', seconds: 0, why: '' };
  for (let round = 0; round < rounds; round++) {
    result = await once(world);
    if (result.do !== 'again') return result;
    await world.pass(10);
  }
  return result;
}

const lives = ({ aso }: MoveWorld) =>
  aso.azure.ledger().map(({ id, createdAt, goneAt, puts }) => ({ id, createdAt, goneAt, puts }));
const uidsIn = ({ aso }: MoveWorld): Set<string> =>
  new Set(
    aso.azure
      .living()
      .map(requestOf)
      .filter((uid) => uid !== undefined),
  );

/** Everything has the marks of the request there. */
async function isGiven(world: MoveWorld): Promise<boolean> {
  const there = await world.there.get({ namespace: 'team-a', name: 'web' });
  return there.ok && uidsIn(world).size === 1 && uidsIn(world).has(there.value.metadata.uid);
}

describe('moving a request', () => {
  it('makes the same request there, with what is in Azure, and removes it here', async () => {
    const world = await start();
    const before = lives(world);
    const result = await move(world);
    expect(result.do).toBe('moved');
    const there = mustBe(await world.there.get({ namespace: 'team-a', name: 'web' }));
    expect(result).toEqual({ do: 'moved', uid: there.metadata.uid });
    expect(await world.here.get({ namespace: 'team-a', name: 'web' })).toMatchObject({ error: { kind: 'not-found' } });
    // Nothing was made or removed; the one PUT is that of the pool, whose tags are fields of it.
    const after = lives(world);
    expect(after.map(({ id, createdAt, goneAt }) => [id, createdAt, goneAt])).toEqual(
      before.map(({ id, createdAt, goneAt }) => [id, createdAt, goneAt]),
    );
    expect(uidsIn(world)).toEqual(new Set([there.metadata.uid]));
    expect(there.spec.driver).toBeUndefined();
    expect(there.status).toMatchObject({ readyAt: '2026-11-19T00:10:00Z', cluster: { fqdn: 'web.example' } });
    expect(recordOf(there)).toMatchObject({
      seed: world.request.metadata.uid,
      begun: expect.arrayContaining(['ManagedCluster']),
    });
    expect(wantedWorkflow(there, 0)).toBe('provision-cluster');
    // And again.
    expect(await once(world)).toEqual(result);
  });

  it('is carried out there, also when somebody deletes the request here after it was given away', async () => {
    const world = await start();
    const name = { namespace: 'team-a', name: 'web' };
    for (let round = 0; round < 30 && !(await isGiven(world)); round++) {
      await once(world);
      await world.pass(10);
    }
    const here = mustBe(await world.here.get(name)).metadata;
    const follows = { uid: here.uid, resourceVersion: here.resourceVersion };
    mustBe(await world.here.patchMetadata(name, { finalizers: [] }, follows));
    mustBe(await world.here.delete(name, { uid: here.uid }));
    expect((await move(world)).do).toBe('moved');
    const there = mustBe(await world.there.get(name));
    expect(there.metadata.annotations?.[requestAnnotations.carriedOutBy]).toBeUndefined();
  });

  it('does not lengthen its lifetime', async () => {
    const world = await start();
    await world.pass(3600);
    await move(world);
    const there = mustBe(await world.there.get({ namespace: 'team-a', name: 'web' }));
    const { spec, ...rest } = there;
    expect(expiry({ ...rest, spec: { ...spec, lifetime: '2h' } })).toBe('2026-11-19T02:00:00Z');
  });

  it('leads to a cluster that the operator there takes over as it is', async () => {
    const world = await start();
    await move(world);
    const there = mustBe(await world.there.get({ namespace: 'team-a', name: 'web' }));
    const before = world.aso.azure.ledger().length;
    const driver = world.services.place('first')!.driver;
    const harness = { ...world.arm, pass: world.pass };
    for (const stage of manifestsOf(world.services, recordOf(there)!)) {
      if (stage.cluster !== 'management') continue;
      expect(await bring(harness, driver, stage)).toMatchObject({ state: 'ready' });
    }
    expect(world.aso.azure.ledger()).toHaveLength(before);
    expect(doubled(world.aso.azure.ledger())).toEqual([]);
  });

  it('can be killed before or after each of its writes', async () => {
    const counted = await start();
    await move(counted);
    const { writes } = counted.gate;
    expect(writes).toBeGreaterThan(6);
    for (let at = 0; at < writes; at++) {
      for (const when of ['before', 'after'] as const) {
        const world = await start();
        const before = lives(world).map(({ id, goneAt }) => [id, goneAt]);
        world.gate.dies = { at, when };
        await expect(move(world)).rejects.toThrow('the process is dead');
        world.gate.dies = undefined;
        const result = await move(world);
        expect([at, when, result.do]).toEqual([at, when, 'moved']);
        expect(uidsIn(world)).toEqual(new Set([result.do === 'moved' ? result.uid : '']));
        expect(lives(world).map(({ id, goneAt }) => [id, goneAt])).toEqual(before);
        await world.close();
        open.splice(open.indexOf(world), 1);
      }
    }
  });

  it('can be killed at any call of Azure', async () => {
    for (let at = 0; at < 14; at++) {
      const world = await start();
      world.arm.gate.die(at, at % 2 === 0 ? 'before' : 'after');
      await move(world, 6);
      world.arm.gate.live();
      const result = await move(world);
      expect([at, result.do]).toEqual([at, 'moved']);
      expect(uidsIn(world)).toEqual(new Set([result.do === 'moved' ? result.uid : '']));
      await world.close();
      open.splice(open.indexOf(world), 1);
    }
  });

  it('goes on with a new request there when somebody has deleted the first one in between', async () => {
    const world = await start();
    for (let round = 0; round < 10 && uidsIn(world).has(world.request.metadata.uid); round++) {
      expect((await once(world)).do).toBe('again');
      await world.pass(10);
    }
    const there = mustBe(await world.there.get({ namespace: 'team-a', name: 'web' }));
    const { uid, resourceVersion } = there.metadata;
    expect(uidsIn(world)).toEqual(new Set([uid]));
    mustBe(await world.there.patchMetadata(there.metadata, { finalizers: [] }, { uid, resourceVersion }));
    mustBe(await world.there.delete(there.metadata, { uid }));
    const result = await move(world);
    expect(result.do).toBe('moved');
    expect(uidsIn(world)).toEqual(new Set([result.do === 'moved' ? result.uid : '']));
  });

  it('is refused where the operator is in another subscription, and Azure stays as it is', async () => {
    const world = await start({ subscription: '99999999-9999-4999-8999-999999999999' });
    const before = lives(world);
    expect(await move(world)).toMatchObject({
      do: 'refused',
      code: 'RequestNotMovable',
      why: expect.stringContaining('does not see'),
    });
    expect(lives(world)).toEqual(before);
    expect(uidsIn(world)).toEqual(new Set([world.request.metadata.uid]));
  });

  it('is refused when a request of that name is there already', async () => {
    const world = await start();
    mustBe(await world.there.create({ namespace: 'team-a', name: 'web', spec: { location: 'westeurope' } }));
    expect(await move(world)).toMatchObject({ do: 'refused', fix: 'delete it in first' });
    expect(uidsIn(world)).toEqual(new Set([world.request.metadata.uid]));
  });

  it.each([
    ['of a cluster that has never been ready', { readyAt: null }, {}],
    ['that somebody else carries out', {}, { [requestAnnotations.carriedOutBy]: 'kro' }],
  ])('is refused for a request %s', async (_, status, annotations) => {
    const world = await start();
    const { uid, resourceVersion } = world.request.metadata;
    const changed = mustBe(await world.here.patchStatus(world.request.metadata, status, { uid, resourceVersion }));
    mustBe(
      await world.here.patchMetadata(
        world.request.metadata,
        { annotations },
        { uid, resourceVersion: changed.metadata.resourceVersion },
      ),
    );
    expect(await once(world)).toMatchObject({ do: 'refused', code: 'RequestNotMovable' });
    expect((await world.there.list()).ok && mustBe(await world.there.list()).items).toEqual([]);
  });

  it('takes the old registration away, so that the request there can register its cluster', async () => {
    const world = await start();
    const ref = refOf('state', world.request);
    const { register } = world.services;
    const { namespace, name, uid } = world.request.metadata;
    mustBe(
      await register.registerCluster({
        name: registeredName(ref),
        uid: 'kube-system',
        server: 'https://web.example',
        access: { kind: 'aks', id: '/x' },
        request: { store: 'state', namespace, name, uid },
      }),
    );
    await move(world);
    expect(mustBe(await register.list())).toEqual([]);
  });
});
