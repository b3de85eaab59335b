/** The brakes: pauses and the cap on instances. */
import { describe, expect, it } from 'vitest';
import { pause, resume } from '../../shared/nodes/pauses/pauses.ts';
import { turnHolders } from '../../shared/nodes/pauses/turns.ts';
import { only, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

describe.each([
  { kind: 'cluster', name: 'test' },
  { kind: 'provider', name: 'sim' },
] as const)('a paused $kind', (target) => {
  it('buys nothing, says why, lets go of what is deleted, and goes on when it is resumed', async () => {
    const { createClaim, deleteClaim, settle, pass, claim, services, cloud, clusterServices, collectGarbage } =
      await open();
    await createClaim('before', oneType);
    await settle();
    await pause(services, target, 'the budget is spent');
    await createClaim('during', oneType);
    await createClaim('unlucky', oneType);
    await pass(60);
    expect(conditionOf(await claim('during'), 'Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'Paused',
      message: expect.stringContaining('the budget is spent'),
    });
    expect(cloud.living).toBe(1);
    await deleteClaim('before');
    await deleteClaim('unlucky');
    await pass(60);
    expect(await claim('before')).toBeUndefined();
    expect(await claim('unlucky')).toBeUndefined();
    expect(cloud.living).toBe(0);
    await collectGarbage();
    expect(await resume(services, target)).toBe(true);
    await pass(120);
    expect(conditionStatus(await claim('during'), 'Ready')).toBe('True');
    expect(cloud.ledger()).toHaveLength(2);
    expect(clusterServices.paused).toBe(false);
  });
});

it('what was begun before the brake was pulled is found, and serves its claim; nothing more is bought', async () => {
  const { createClaim, pass, claim, services, cloud, engine } = await open({
    cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'reset', effect: 'done' } }] },
  });
  await createClaim('one', oneType);
  let begun = 0;
  engine.beforeStep = async (_, { activity }) => {
    await cloud.settle();
    // The first answer is lost; before anybody asks again, somebody pulls the brake.
    if (activity === 'beginCreate' && ++begun === 2) await pause(services, { kind: 'provider', name: 'sim' }, 'stop');
  };
  await pass(120);
  expect(begun).toBeGreaterThan(1);
  expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
  expect(cloud.ledger()).toHaveLength(1);
  expect(cloud.calls.create).toBe(1);
});

it('a pause of the configuration holds as well, for hours, without an error', async () => {
  const { createClaim, pass, claim, cloud, engine } = await open({ cluster: { pausedProviders: new Set(['sim']) } });
  await createClaim('one', oneType);
  await pass(2 * 3600, 600);
  expect(conditionOf(await claim('one'), 'Launched')?.message).toContain('paused in the configuration');
  expect(cloud.calls.create).toBe(0);
  expect(engine.all().filter(({ status }) => status === 'failed')).toEqual([]);
});

describe('the cap on instances', () => {
  /** How many were alive at the same moment, at most, by the ledger. */
  const mostAlive = ({ cloud }: TestWorld): number => {
    const changes = cloud
      .ledger()
      .flatMap(({ createdAt, goneAt }) => [
        { at: createdAt, by: 1 },
        ...(goneAt === null || goneAt === undefined ? [] : [{ at: goneAt, by: -1 }]),
      ]);
    changes.sort((a, b) => a.at - b.at || a.by - b.by);
    let alive = 0;
    return Math.max(0, ...changes.map(({ by }) => (alive += by)));
  };

  it('holds when 300 claims arrive at once, and all get their turn as others go', async () => {
    const world = await open({
      cluster: { maxInstances: 50 },
      cloud: { bootSeconds: 0, readySeconds: 0, deleteSeconds: 0 },
    });
    const { createClaim, deleteClaim, resync, engine, claims, clock, cloud } = world;
    for (let index = 0; index < 300; index++) await createClaim(`c${index}`, oneType);
    const served = new Set<string>();
    for (let round = 0; round < 40 && served.size < 300; round++) {
      await resync();
      await engine.runUntil(clock.now() + 20_000);
      await cloud.settle();
      for (const claim of await claims()) {
        if (conditionStatus(claim, 'Ready') !== 'True') continue;
        served.add(claim.metadata.name);
        await deleteClaim(claim.metadata.name);
      }
    }
    expect(served.size).toBe(300);
    expect(mostAlive(world)).toBe(50);
    await world.settle();
    expect(await claims()).toEqual([]);
    expect(cloud.living).toBe(0);
    expect([...(await turnHolders(world.services, world.clusterServices))]).toEqual([]);
  });

  it('makes the others wait, and they say for what; one of them can be deleted', async () => {
    const { createClaim, deleteClaim, pass, claim, cloud, services, clusterServices } = await open({
      cluster: { maxInstances: 1 },
    });
    await createClaim('first', oneType);
    await pass(60);
    await createClaim('second', oneType);
    await createClaim('third', oneType);
    await pass(60);
    expect(conditionStatus(await claim('first'), 'Ready')).toBe('True');
    expect(conditionOf(await claim('second'), 'Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'WaitingForTurn',
      message: expect.stringContaining('maxInstances'),
    });
    await deleteClaim('second');
    expect(await claim('second')).toBeUndefined();
    await deleteClaim('first');
    await pass(120);
    expect(conditionStatus(await claim('third'), 'Ready')).toBe('True');
    expect(cloud.ledger()).toHaveLength(2);
    expect(await turnHolders(services, clusterServices)).toEqual(new Set([(await claim('third'))?.metadata.uid]));
  });

  it('comes back from a claim that was removed by force, once its machine is gone', async () => {
    const { createClaim, deleteClaim, pass, patchClaim, claim, collectGarbage, clock, cloud } = await open({
      cluster: { maxInstances: 1 },
    });
    await createClaim('first', oneType);
    await pass(60);
    await deleteClaim('first');
    await patchClaim('first', { metadata: { finalizers: [] } });
    await createClaim('second', oneType);
    await pass(40);
    expect(conditionOf(await claim('second'), 'Launched')?.reason).toBe('WaitingForTurn');
    for (let reading = 0; reading < 5; reading++) {
      await collectGarbage();
      clock.advance(61_000);
      await cloud.settle();
    }
    await pass(120);
    expect(conditionStatus(await claim('second'), 'Ready')).toBe('True');
    expect(cloud.living).toBe(1);
  });

  it('of zero lets nothing be bought', async () => {
    const { createClaim, pass, claim, cloud } = await open({ cluster: { maxInstances: 0 } });
    await createClaim('one', oneType);
    await pass(60);
    expect(conditionOf(await claim('one'), 'Launched')?.reason).toBe('WaitingForTurn');
    expect(cloud.calls.create).toBe(0);
  });
});
