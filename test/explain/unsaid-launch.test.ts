/** The seconds in which a machine is there and its claim does not say so yet: `explain` and `trace` know of it all the same. */
import { expect, test } from 'vitest';
import { ensureWorkflow } from '../../shared/nodes/ensure.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionStatus } from '../nodes/world.ts';
import { useAsking } from './asked-world.ts';

const open = useWorld();
const asking = useAsking();

test('a claim whose machine has just been created: what is waited for, and until when', async () => {
  const world = await open({ cloud: { bootSeconds: 20 } });
  const claim = await world.createClaim('one', { requirements: only(['general-small']) });
  await ensureWorkflow(world.services, clusterName, claim);
  await world.engine.runUntil(world.clock.now() + 21_000);
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
  const { ask } = await asking(world);
  const explained = await ask('explain', 'claim/one');
  const traced = await ask('trace', 'claim/one');
  expect(explained.head[1]).toMatch(/^cause {2}nothing is wrong: launch is running, waiting/);
  for (const { out } of [explained, traced]) {
    expect(out).toMatch(/00:00:20 +join|join +00:00:00 +20 s/);
    expect(out).toContain('attempt 1: no node with providerID sim:///zone-a/');
  }
});
