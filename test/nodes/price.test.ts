/** What the claim says its machine costs: written with what is written anyway, and never of another machine. */
import { expect, it } from 'vitest';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { priceText } from '../../shared/nodes/offerings/price.ts';
import { aFleet } from './a-fleet.ts';
import { only, soldOut, useWorld } from './use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const key = 'poolwright.dev/price-per-hour';
const twoTypes = { requirements: only(['general-small', 'general-medium']) };
const small = '0.048';
const medium = '0.096';

const priceOf = async ({ claim }: TestWorld, name = 'one') => (await claim(name))?.metadata.annotations?.[key];

it('the price of what was bought stands on the claim, and not on its Node', async () => {
  const world = await open();
  await world.createClaim('one', twoTypes);
  await world.settle();
  expect(await priceOf(world)).toBe(small);
  expect((await world.nodes())[0]?.metadata.annotations ?? {}).not.toHaveProperty([key]);
});

it('an attempt elsewhere has its own price', async () => {
  const world = await open({ cloud: { faults: [soldOut('general-small')] } });
  await world.createClaim('one', twoTypes);
  await world.settle();
  expect(await priceOf(world)).toBe(medium);
});

it('a price that nobody knows is absent, also where the manifest brought one of another claim', async () => {
  const world = await open();
  const metadata = { annotations: { [key]: '0.01' } };
  await world.createClaim('one', { requirements: only(['preview-large']), metadata });
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Launched')).toBe('True');
  expect(await priceOf(world)).toBeUndefined();
});

it('of a cloud that takes one of many, it is the price of the one that it took', async () => {
  const fleet = aFleet();
  const world = await open({ decorate: fleet.decorate });
  for (const zone of ['zone-a', 'zone-b']) fleet.out.set(`general-small/${zone}/on-demand`, 'insufficient-capacity');
  await world.createClaim('one', { requirements: only(['general-small', 'general-medium'], ['zone-a', 'zone-b']) });
  await world.settle();
  expect(await priceOf(world)).toBe(medium);
});

it('a launch that goes on without its history looks the price up', async () => {
  const fleet = aFleet();
  const world = await open({ decorate: fleet.decorate });
  fleet.out.set('general-small/zone-a/on-demand', 'insufficient-capacity');
  let uid = '';
  fleet.afterCreate = () => world.engine.loseHistory(`${clusterName}/${uid}/launch`);
  uid = (await world.createClaim('one', twoTypes)).metadata.uid;
  await world.settle();
  expect((await world.claim('one'))?.metadata.labels?.[labels.instanceType]).toBe('general-medium');
  expect(await priceOf(world)).toBe(medium);
});

it('a machine that is adopted after a restore brings its price', async () => {
  const world = await open({ settings: { restoreHorizonSeconds: 0 }, cloud: { faults: [soldOut('general-small')] } });
  await world.createClaim('one', twoTypes);
  await world.settle();
  const forgotten = { 'poolwright.dev/attempt': null, [key]: small };
  await world.patchClaim('one', { metadata: { annotations: forgotten, finalizers: [] } });
  await world.patchClaim('one', { status: { conditions: [], providerID: null, nodeName: null } }, 'status');
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(await priceOf(world)).toBe(medium);
  expect(world.cloud.ledger()).toHaveLength(1);
});

it('a machine that is taken over from a predecessor brings its price', async () => {
  const world = await open({ cloud: { faults: [soldOut('general-small')] } });
  await world.createClaim('one', twoTypes);
  await world.settle();
  await world.patchClaim('one', { metadata: { annotations: { 'poolwright.dev/attempt': null, [key]: null } } });
  await world.settle();
  expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('TakenOver');
  expect(await priceOf(world)).toBe(medium);
});

it('an attempt that is over costs nothing', async () => {
  const world = await open({
    traits: { deadlines: { launchSeconds: 60, registrationSeconds: 30, initializationSeconds: 60 } },
    cloud: { faults: [{ on: 'create', do: { kind: 'never-registers' } }] },
  });
  await world.createClaim('one', twoTypes);
  await world.pass(25);
  expect(await priceOf(world)).toBe(small);
  await world.pass(40);
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
  expect(await priceOf(world)).toBeUndefined();
});

it('a vanished machine takes its price with it', async () => {
  const vanishing = { on: 'create' as const, count: 1, do: { kind: 'vanish' as const, afterSeconds: 100 } };
  const world = await open({ cloud: { faults: [vanishing], nodeLostSeconds: 10 } });
  await world.createClaim('one', twoTypes);
  await world.settle();
  expect(await priceOf(world)).toBe(small);
  world.clock.advance(200_000);
  await world.cloud.settle();
  await world.collectGarbage();
  world.clock.advance(61_000);
  await world.collectGarbage();
  expect(conditionOf(await world.claim('one'), 'Launched')?.reason).toBe('InstanceVanished');
  expect(await priceOf(world)).toBeUndefined();
});

it.each([
  [0.048, '0.048'],
  [0, '0'],
  [12, '12'],
  [0.000_000_12, '0.00000012'],
  [32.77, '32.77'],
])('%d is written as %s', (price, text) => expect(priceText(price)).toBe(text));
