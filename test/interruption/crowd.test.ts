/** What changes when a whole kind of machine is taken back at once. */

import { expect, it } from 'vitest';
import { interruptionWatcher } from '../../functions/watchers/interruption-watcher.ts';
import { events, nodeClaims } from '../../shared/kube/contract.ts';
import { instanceIdOf } from '../../shared/providers/instance-id.ts';
import { spotWarning } from '../../sim/aws/event-messages.ts';
import { logLines, only, useWorld } from '../nodes/use-world.ts';
import type { TestWorld } from '../nodes/world.ts';

const open = useWorld();
const { signal } = new AbortController();
const count = 60;

/** So many claims with a machine each, made at once. */
async function manyClaims(world: TestWorld): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `claim-${index}`);
  for (const name of names) await world.createClaim(name, { requirements: only(['general-small']) });
  await world.settle();
  const claims = await world.claims();
  return claims.map(({ status }) => instanceIdOf(world.provider, status?.providerID ?? '') ?? '');
}

const deliverAll = (world: TestWorld, instances: readonly string[]) =>
  Promise.all(
    instances.map((instance) => {
      const body = JSON.stringify(spotWarning({ id: instance, at: world.clock.now() }, instance));
      return interruptionWatcher.handle(world.services, { body, receiveCount: 1 }, signal);
    }),
  );

it('claims are looked up by one list, one mark speaks for all, and Events are told within bounds', async () => {
  const { lines, logTo } = logLines();
  const world = await open({ logTo });
  const instances = await manyClaims(world);
  const { api } = world.clusterServices;
  const { get, list } = api;
  const calls = { get: 0, list: 0 };
  api.get = (resource, ...rest) => {
    if (resource === nodeClaims) calls.get++;
    return get.call(api, resource, ...rest) as never;
  };
  api.list = (resource, ...rest) => {
    if (resource === nodeClaims) calls.list++;
    return list.call(api, resource, ...rest) as never;
  };
  const logged = lines.length;
  expect(new Set(await deliverAll(world, instances))).toEqual(new Set(['done']));
  Object.assign(api, { get, list });

  expect((await world.claims()).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
  expect(calls.list).toBe(1);
  expect(calls.get).toBeLessThanOrEqual(20);
  const news = lines.slice(logged).map(({ event }) => event);
  expect(news.filter((event) => event === 'interruption.received')).toHaveLength(count);
  expect(news.filter((event) => event === 'offering.unavailable')).toHaveLength(1);
  const told = await world.api.list<{ reason: string } & never>(events);
  const interrupted = told.ok ? told.value.items.filter(({ reason }) => reason === 'SpotInterrupted') : [];
  // Fifty, each for claim and Node.
  expect(interrupted).toHaveLength(100);
});

it('a claim that changed after it was listed is asked itself, and still ends', async () => {
  const world = await open();
  const instances = await manyClaims(world);
  const { api } = world.clusterServices;
  const { list } = api;
  api.list = async (resource, ...rest) => {
    Object.assign(api, { list });
    const answer = await api.list(resource, ...rest);
    // Somebody labels every claim right after it was listed.
    for (const { metadata } of await world.claims()) {
      await world.patchClaim(metadata.name, { metadata: { labels: { changed: 'yes' } } });
    }
    return answer as never;
  };
  expect(new Set(await deliverAll(world, instances))).toEqual(new Set(['done']));
  expect(api.list).toBe(list);
  expect((await world.claims()).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
});
