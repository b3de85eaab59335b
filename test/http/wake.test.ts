/** Lifting a pause and clearing unavailable offerings: what waits continues at once, not at its next retry. */
import { expect, it } from 'vitest';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { type Tries, triesKey } from '../../shared/nodes/pools/tries.ts';
import { only } from '../nodes/use-world.ts';
import { clusterName, conditionOf, conditionStatus } from '../nodes/world.ts';
import { usePoolWorld } from '../pools/pool-world.ts';
import { httpWorld } from './world.ts';

const open = usePoolWorld();

async function served() {
  const world = await open();
  const http = httpWorld();
  Object.assign(http.services, world.services);
  return { world, call: http.ask };
}

it('a claim that waits for a pause launches as soon as the pause is lifted', async () => {
  const { world, call } = await served();
  await pause(world.services, { kind: 'cluster', name: clusterName }, '');
  await world.createClaim('web', { requirements: only(['general-small']) });
  await world.pass(2);
  expect(conditionOf(await world.claim('web'), 'Launched')).toMatchObject({ reason: 'Paused' });

  const { status } = await call('DELETE', `/v1/pauses/cluster/${clusterName}`);
  await world.settle();

  expect(status).toBe(200);
  expect(conditionStatus(await world.claim('web'), 'Launched')).toBe('True');
});

it('a claim that was refused is tried again as soon as its offerings are cleared', async () => {
  const { world, call } = await served();
  await world.cloud.setFaults([{ on: 'create', do: { kind: 'sold-out' } }]);
  await world.createClaim('web', { requirements: only(['general-small']) });
  await world.pass(120);
  expect(conditionOf(await world.claim('web'), 'Launched')).toMatchObject({ status: 'False' });
  await world.cloud.setFaults([]);

  expect((await call('DELETE', '/v1/offerings/unavailable')).json).toMatchObject({ cleared: expect.any(Number) });
  await world.settle();

  expect(conditionStatus(await world.claim('web'), 'Launched')).toBe('True');
});

it('a pool that pauses after failures makes its claims as soon as its offerings are cleared', async () => {
  const { world, call } = await served();
  await world.cloud.setFaults([{ on: 'create', do: { kind: 'sold-out' } }]);
  const pool = await world.createPool('workers');
  await world.live(600);
  const paused = await world.services.state.get<Tries>(triesKey(clusterName, pool.metadata.uid));
  expect(paused?.value.notBefore).toBeGreaterThan(world.clock.now());
  await world.cloud.setFaults([]);

  await call('DELETE', '/v1/offerings/unavailable');

  const woken = await world.services.state.get<Tries>(triesKey(clusterName, pool.metadata.uid));
  expect(woken?.value.notBefore).toBeLessThanOrEqual(world.clock.now());
  await world.live(1);
  expect(await world.alive('workers')).toHaveLength(3);
});
