/** Turns at a cloud that takes one operation at a time: fair, without refusals, and never stuck. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { type Clock, systemClock } from '../../shared/base/runtime.ts';
import { createSeconds, deleteSeconds, oneAtATime } from './one-at-a-time.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld, type TestWorldOptions } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `claim-${index}`);

async function busyWorld(options: TestWorldOptions = {}) {
  let clock: Clock = systemClock;
  const cloud = oneAtATime(() => clock);
  const world = await open({
    cloud: { bootSeconds: createSeconds, deleteSeconds },
    decorate: cloud.decorate,
    ...options,
  });
  ({ clock } = world);
  return { ...world, cloud: world.cloud, line: cloud };
}

/** One after the other, a moment apart. */
async function arriveInTurn(world: TestWorld, count: number, more: { [key: string]: Json } = {}): Promise<void> {
  for (const name of names(count)) {
    await world.createClaim(name, { ...oneType, ...more });
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 100);
  }
}

async function turnKeys({ services }: TestWorld): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of ['operation-line/', 'operation-place/']) {
    const { items } = await services.state.list(prefix, { limit: 1000 });
    keys.push(...items.map(({ key }) => key));
  }
  return keys;
}

describe('claims at a cloud that takes one operation at a time', () => {
  it('get their turns in the order in which they came, without a single refusal, and so do deletes', async () => {
    const world = await busyWorld();
    await arriveInTurn(world, 8);
    const began = world.clock.now();
    while (world.line.begun.length < 8) await world.engine.runUntil(world.clock.now() + 1000);
    // Seven operations of 20 s came before the last one; a second or so for each turn is all that may be added.
    expect((world.clock.now() - began) / 1000).toBeLessThan(7 * 21.5);
    await world.settle();
    expect(world.line.begun).toEqual(names(8).map((name) => `create ${name}`));
    for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');

    for (const name of names(8)) await world.deleteClaim(name);
    await world.settle();
    expect(await world.claims()).toEqual([]);
    expect(world.cloud.living).toBe(0);
    expect(world.line.refused).toEqual([]);
    expect(await turnKeys(world)).toEqual([]);
  });

  it('say how many are before them, and the wait counts against no deadline', async () => {
    const world = await busyWorld();
    const metadata = { annotations: { 'poolwright.dev/launch-deadline': '30s' } };
    await arriveInTurn(world, 6, { metadata });
    const said = (await world.claims()).map((claim) => conditionOf(claim, 'Launched'));
    const waiting = said.filter((one) => one?.reason === 'WaitingForTurn').map((one) => one?.message);
    expect(waiting).toHaveLength(5);
    expect(waiting).toContain('waiting: sim allows 1 operation at a time in cluster test; next in line');
    expect(waiting).toContain('waiting: sim allows 1 operation at a time in cluster test; 4 ahead');
    const last = (await world.claims()).find((claim) => conditionOf(claim, 'Launched')?.message.includes('; 4 ahead'));
    expect((await world.decisionsOf(last!)).map(({ step }) => step)).toContain('turn');
    await world.settle();
    for (const claim of await world.claims()) {
      expect(conditionStatus(claim, 'Ready')).toBe('True');
      expect(JSON.parse(claim.metadata.annotations?.['poolwright.dev/attempt'] ?? '{}').attempt).toBe(1);
    }
    expect(world.cloud.ledger()).toHaveLength(6);
  });

  it('go on when all that is known about turns is lost', async () => {
    const world = await busyWorld();
    for (const name of names(5)) await world.createClaim(name, oneType);
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 5000);
    for (const prefix of ['operation-desk/', 'operation-line/', 'operation-place/']) {
      const { items } = await world.services.state.list(prefix);
      for (const { key } of items) await world.services.state.delete(key);
    }
    await world.settle();
    for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
    expect(world.cloud.ledger()).toHaveLength(5);
  });

  it('do not wait for the turn of a claim that was removed by force, nor for one whose workflow is lost', async () => {
    const world = await busyWorld();
    for (const name of names(4)) await world.createClaim(name, oneType);
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 5000);
    const [holder] = (await world.claims()).filter((one) => one.metadata.annotations?.['poolwright.dev/attempt']);
    await world.patchClaim(holder!.metadata.name, { metadata: { finalizers: [] } });
    await world.deleteClaim(holder!.metadata.name);
    const waiting = (await world.claims()).find((one) =>
      conditionOf(one, 'Launched')?.message.includes('next in line'),
    );
    world.engine.loseHistory(`${clusterName}/${waiting!.metadata.uid}/launch`);
    world.engine.loseHistory(`${clusterName}/${holder!.metadata.uid}/launch`);
    await world.pass(300);
    const left = await world.claims();
    expect(left).toHaveLength(3);
    for (const claim of left) expect(conditionStatus(claim, 'Ready')).toBe('True');
  });

  it('leave the line when they are deleted while they wait', async () => {
    const world = await busyWorld();
    for (const name of names(4)) await world.createClaim(name, oneType);
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 5000);
    const waiting = (await world.claims()).filter((one) => conditionOf(one, 'Launched')?.reason === 'WaitingForTurn');
    for (const { metadata } of waiting) await world.deleteClaim(metadata.name);
    await world.resync();
    await world.settle();
    expect(await world.claims()).toHaveLength(1);
    expect(world.line.begun).toHaveLength(1);
    await world.pass(200);
    expect(await turnKeys(world)).toEqual([]);
  });

  it('keep their turn, and pause, while an operation of somebody else is in progress', async () => {
    const world = await busyWorld();
    world.line.occupy(true);
    for (const name of names(3)) await world.createClaim(name, oneType);
    await world.pass(60);
    expect(new Set(world.line.refused).size).toBe(1);
    expect(world.line.refused.length).toBeLessThan(12);
    world.line.occupy(false);
    await world.settle();
    for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
  });

  it('that can not begin for very long let the others pass', async () => {
    const world = await busyWorld();
    world.line.occupy(true);
    for (const name of names(3)) await world.createClaim(name, oneType);
    await world.pass(2500);
    expect(new Set(world.line.refused).size).toBe(3);
    world.line.occupy(false);
    await world.pass(300);
    for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
  });

  it('in mid-create are deleted under the turn that they hold', async () => {
    const world = await busyWorld();
    for (const name of names(3)) await world.createClaim(name, oneType);
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 5000);
    for (const name of names(3)) await world.deleteClaim(name);
    await world.settle();
    expect(await world.claims()).toEqual([]);
    expect(world.cloud.living).toBe(0);
    expect(await turnKeys(world)).toEqual([]);
  });
});

it('a cloud without such a limit keeps no turns', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  await world.settle();
  await world.deleteClaim('one');
  await world.settle();
  expect((await world.services.state.list('operation-')).items).toEqual([]);
});
