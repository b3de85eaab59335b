/** Answers that are late, partial or missing: what is done about them, and how often the other side is asked. */
import { expect, it } from 'vitest';
import { failed } from '../../shared/base/result.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

it('a list that still shows a deleted machine is asked again with pauses, and the claim ends by itself', async () => {
  const world = await open({ cloud: { listLagSeconds: 15 }, traits: { listLagSeconds: 15 } });
  await world.createClaim('one', oneType);
  await world.settle();
  await world.deleteClaim('one');
  await world.resync();
  const before = { ...world.cloud.calls };
  // No resync in between: one terminate has to bring it to its end.
  await world.engine.runUntil(world.clock.now() + 120_000);
  expect(await world.claim('one')).toBeUndefined();
  expect(world.cloud.calls.list - before.list).toBeLessThan(12);
  expect(world.cloud.calls.delete - before.delete).toBeLessThan(12);
});

it('the Node of a machine that vanished goes even if the host dies right after it gave the machine up', async () => {
  const world = await open({
    cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'vanish', afterSeconds: 60 } }] },
  });
  const claim = await world.createClaim('one', oneType);
  await world.settle();
  const [node] = await world.nodes();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  await world.pass(90);
  await world.collectGarbage();
  world.clock.advance(61_000);
  const { mergePatch } = world.api;
  // The record is written, and then nothing more.
  world.api.mergePatch = async (resource, ref, patch, options, signal) => {
    const answer = await mergePatch.call(world.api, resource, ref, patch, options, signal);
    if (JSON.stringify(patch).includes('"failed')) throw new Error('the process died');
    return answer as never;
  };
  await world.collectGarbage().catch(() => undefined);
  world.api.mergePatch = mergePatch;
  expect((await world.claim('one'))?.metadata.annotations?.['poolwright.dev/attempt']).toContain('"failed"');
  await world.pass(300);
  await world.collectGarbage();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect((await world.nodes()).map(({ metadata }) => metadata.name)).not.toContain(node!.metadata.name);
  expect(claim.metadata.uid).toBe((await world.claim('one'))?.metadata.uid);
});

it('a provider that can not be listed keeps no other provider from being cleaned up', async () => {
  const list: Provider[] = [];
  const world = await open({
    cluster: { providers: list },
    decorate: (provider) => {
      list.push(provider);
      return provider;
    },
  });
  const away = async () => failed('unauthorised', 'the key has expired');
  list.unshift({
    ...list[0]!,
    traits: list[0]!.traits,
    name: 'locked',
    nodeClasses: [],
    instanceIds: [],
    list: away,
  } as Provider);
  await world.createClaim('one', oneType);
  await world.settle();
  await world.patchClaim('one', { metadata: { finalizers: null } });
  await world.deleteClaim('one');
  await world.collectGarbage();
  world.clock.advance(61_000);
  await world.collectGarbage();
  await world.pass(20);
  expect(world.cloud.living).toBe(0);
});

it('an API server that is away is asked less and less, and the claim goes on when it is back', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  await world.resync();
  const { get } = world.api;
  let asked = 0;
  world.api.get = async () => {
    asked++;
    return failed('unavailable', 'connection refused', { retryAfterSeconds: 0 });
  };
  await world.engine.runUntil(world.clock.now() + 600_000);
  expect(asked).toBeLessThan(20);
  expect(world.engine.all().map(({ status }) => status)).toEqual(['running']);
  world.api.get = get;
  await world.engine.runUntil(world.clock.now() + 120_000);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
});
