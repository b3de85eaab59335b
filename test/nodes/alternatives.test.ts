/** A provider that takes one of many: what is asked for, what is remembered as sold out, and what the claim says of its machine. */
import { describe, expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import type { Json } from '../../shared/base/json.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { unavailableOfferings } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { aFleet } from './a-fleet.ts';
import { only, takeBack, useWorld } from './use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const wide = { requirements: only(['general-small', 'general-medium'], ['zone-a', 'zone-b']) };
const [smallA, smallB, mediumA, mediumB] = ['general-small', 'general-medium'].flatMap((type) =>
  ['zone-a', 'zone-b'].map((zone) => `${type}/${zone}/on-demand`),
) as [string, string, string, string];

const marksOf = async ({ services, provider }: TestWorld) =>
  [...(await unavailableOfferings(services, provider.name))].map(([key, { quota }]) => (quota ? `${key} quota` : key));

const machineOf = async ({ claim }: TestWorld, name: string) => {
  const {
    [labels.instanceType]: type,
    [labels.zone]: zone,
    [labels.capacityType]: capacity,
  } = (await claim(name))?.metadata.labels ?? {};
  return `${type}/${zone}/${capacity}`;
};

describe('one create', () => {
  it('names all that would do, best first, and marks exactly those that were out', async () => {
    const fleet = aFleet();
    const world = await open({ decorate: fleet.decorate });
    fleet.out.set(smallA, 'insufficient-capacity').set(smallB, 'quota-exceeded').set(mediumB, 'insufficient-capacity');
    await world.createClaim('one', wide);
    await world.settle();
    expect(fleet.asked).toEqual([[smallA, smallB, mediumA, mediumB]]);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(await marksOf(world)).toEqual([smallA, `${smallB} quota`]);
    // The next claim does not ask for what was out.
    await world.createClaim('two', wide);
    await world.settle();
    expect(fleet.asked[1]).toEqual([mediumA, mediumB]);
  });

  it('that gets nothing marks what it was refused, and the next attempt asks for the rest', async () => {
    const fleet = aFleet();
    const world = await open({ decorate: fleet.decorate });
    for (const key of [smallA, smallB, mediumA, mediumB]) fleet.out.set(key, 'insufficient-capacity');
    const claim = await world.createClaim('one', wide);
    await world.settle(2);
    expect(fleet.asked).toHaveLength(1);
    expect((await marksOf(world)).toSorted()).toEqual([smallA, smallB, mediumA, mediumB].toSorted());
    expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({ reason: 'InsufficientCapacity' });
    expect((await world.decisionsOf(claim)).map(({ text }) => text).join('\n')).toContain('or one of 3 others');
    fleet.out.clear();
    await world.pass(600);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.overlaps()).toEqual([]);
  });

  it('whose refusal names none of what was asked for still passes the best one over, so that the next choice is another', async () => {
    const fleet = aFleet();
    let calls = 0;
    const world = await open({
      decorate: (inner) => {
        const provider = fleet.decorate(inner);
        return {
          ...provider,
          beginCreate: async (request, signal) =>
            ++calls > 1
              ? provider.beginCreate(request, signal)
              : { ok: false, error: { kind: 'insufficient-capacity', message: 'no', refused: [] } },
        };
      },
    });
    await world.createClaim('one', wide);
    await world.settle();
    expect(await marksOf(world)).toEqual([smallA]);
    expect(fleet.asked).toEqual([[smallB, mediumA, mediumB]]);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });
});

describe('the labels of the claim', () => {
  it('name what the cloud took, on claim and Node, before the claim says Launched', async () => {
    const fleet = aFleet();
    const world = await open({ decorate: fleet.decorate });
    fleet.out.set(smallA, 'insufficient-capacity').set(smallB, 'insufficient-capacity');
    fleet.reports = (type) => ({ 'sim.example/family': type.split('-')[0]! });
    const seen: (string | undefined)[] = [];
    world.engine.beforeStep = async () => {
      const claim = await world.claim('one');
      if (conditionStatus(claim, 'Launched') !== 'True') seen.push(claim?.metadata.labels?.[labels.instanceType]);
      else seen.push(`launched ${claim?.metadata.labels?.[labels.instanceType]}`);
      await world.cloud.settle();
    };
    await world.createClaim('one', wide);
    await world.settle();
    expect(await machineOf(world, 'one')).toBe(mediumA);
    const [node] = await world.nodes();
    expect(node?.metadata.labels).toMatchObject({
      [labels.instanceType]: 'general-medium',
      [labels.zone]: 'zone-a',
      'sim.example/family': 'general',
    });
    expect(new Set(seen)).toEqual(new Set([undefined, 'general-medium']));
  });

  it('forget the machine of an attempt that is over', async () => {
    const fleet = aFleet();
    const world = await open({
      decorate: fleet.decorate,
      traits: { deadlines: { launchSeconds: 60, registrationSeconds: 60, initializationSeconds: 60 } },
      // The first machine never joins.
      cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'never-registers' } }] },
    });
    fleet.reports = (type) => ({ [`sim.example/${type}`]: 'yes' });
    await world.createClaim('one', wide);
    await world.pass(30);
    expect(await machineOf(world, 'one')).toBe(smallA);
    fleet.out.set(smallA, 'insufficient-capacity').set(smallB, 'insufficient-capacity');
    await world.pass(900);
    const one = await world.claim('one');
    expect(conditionStatus(one, 'Ready')).toBe('True');
    expect(one?.metadata.labels).toMatchObject({ 'sim.example/general-medium': 'yes' });
    expect(one?.metadata.labels).not.toHaveProperty(['sim.example/general-small']);
  });
});

it('a launch whose history is lost after the create goes on with what the cloud took, and buys nothing more', async () => {
  const fleet = aFleet();
  const world = await open({ decorate: fleet.decorate });
  fleet.out.set(smallA, 'insufficient-capacity');
  let uid = '';
  fleet.afterCreate = () => world.engine.loseHistory(`${clusterName}/${uid}/launch`);
  uid = (await world.createClaim('one', wide)).metadata.uid;
  await world.settle();
  expect(fleet.asked.map((asked) => asked.length)).toEqual([4, 1]);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(await machineOf(world, 'one')).toBe(smallB);
  expect(world.cloud.ledger()).toHaveLength(1);
});

it('spot comes before on-demand for a claim that allows both, and what is interrupted is marked as what it was', async () => {
  const fleet = aFleet();
  const world = await open({ decorate: fleet.decorate });
  const spot = (key: string) => key.replace('on-demand', 'spot');
  fleet.out.set(spot(smallA), 'insufficient-capacity');
  const both = { key: labels.capacityType, operator: 'In', values: ['on-demand', 'spot'] };
  await world.createClaim('one', { requirements: [...(wide.requirements as Json[]), both] });
  await world.settle();
  expect(fleet.asked).toEqual([[smallA, smallB, mediumA, mediumB].map(spot)]);
  expect(await machineOf(world, 'one')).toBe(spot(smallB));

  const providerID = (await world.claim('one'))?.status?.providerID ?? '';
  const data = { cluster: clusterName, provider: world.provider.name, providerID, reason: 'taken back' };
  const attributes = { id: 'i1', time: world.clock.now(), source: '/test', subject: 'test/one' };
  await takeBack(world, providerID);
  await world.deliver(makeEvent('dev.poolwright.instance.interrupted.v1', data, attributes));
  expect((await marksOf(world)).toSorted()).toEqual([spot(smallA), spot(smallB)].toSorted());
});
