/** A workflow that was set aside holds up its claim on purpose: the claim says so. */
import { expect, it } from 'vitest';
import { launch } from '../../shared/nodes/launch/launch.ts';
import { readDecisions } from '../../shared/nodes/steps/report/decision-log.ts';
import { terminate } from '../../shared/nodes/terminate/terminate.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import type { TestWorld } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

const conditions = async (world: TestWorld, name: string) =>
  Object.fromEntries(
    ((await world.claim(name))?.status?.conditions ?? []).map(({ type, status, reason }) => [
      type,
      `${status} ${reason}`,
    ]),
  );

/** The engine sets aside what it has no code for; a step that kills the process looks the same from outside. */
async function setAside(world: TestWorld): Promise<void> {
  world.engine.replaceCode([terminate]);
  await world.engine.runUntil(world.clock.now() + 60_000);
  world.engine.replaceCode([launch, terminate]);
}

it('a claim whose launch was set aside says why nothing is done for it, and how to go on', async () => {
  const world = await open();
  const { metadata } = await world.createClaim('one', oneType);
  await world.resync();
  await setAside(world);
  expect(await conditions(world, 'one')).toEqual({});
  await world.resync();
  await world.resync();
  expect(await conditions(world, 'one')).toMatchObject({ Launched: 'Unknown SetAside' });
  const { message } = (await world.claim('one'))?.status?.conditions?.find(({ type }) => type === 'Launched') ?? {};
  expect(message).toMatch(/^launch was set aside: .*\/v1\/workflows\/test\/.*\/launch\/1\/retry$/);
  const decisions = await readDecisions(world.services.state, { cluster: 'test', name: 'one', uid: metadata.uid });
  expect(decisions.map(({ step }) => step)).toEqual(['set aside']);
});

it('a claim that was set aside later keeps what it has reached', async () => {
  const world = await open({ cloud: { readySeconds: null } });
  await world.createClaim('one', oneType);
  await world.resync();
  await world.engine.runUntil(world.clock.now() + 50_000);
  expect(await conditions(world, 'one')).toMatchObject({ Registered: 'True Registered' });
  await setAside(world);
  await world.resync();
  expect(await conditions(world, 'one')).toMatchObject({
    Launched: 'True Launched',
    Registered: 'True Registered',
    Initialized: 'Unknown SetAside',
  });
});
