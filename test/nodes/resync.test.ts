/** The resync: every event may be lost; what is missing is started, what is broken is started again, rest is left alone. */
import { describe, expect, it } from 'vitest';
import { failed } from '../../shared/base/result.ts';
import { launch } from '../../shared/nodes/launch/launch.ts';
import { terminate } from '../../shared/nodes/terminate/terminate.ts';
import { defineWorkflow } from '../../shared/workflow/vocabulary.ts';
import { logLines, only, soldOut, useWorld } from './use-world.ts';
import { conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };
const workflows = ({ engine }: TestWorld) =>
  engine.all().map(({ workflow, epoch, status }) => `${workflow}/${epoch} ${status}`);

describe('the resync', () => {
  it('starts what no event has started, once', async () => {
    const world = await open();
    for (let index = 0; index < 3; index++) await world.createClaim(`c${index}`, oneType);
    await world.resync();
    await world.resync();
    expect(workflows(world)).toEqual(['launch/1 running', 'launch/1 running', 'launch/1 running']);
    await world.settle();
    await world.deleteClaim('c1');
    await world.resync();
    expect(workflows(world).filter((one) => one.startsWith('terminate'))).toEqual(['terminate/1 running']);
  });

  it('starts the next epoch of a launch that failed, and of one whose history is lost', async () => {
    const world = await open();
    const { metadata } = await world.createClaim('one', oneType);
    // Code that is broken: the workflow ends in an error.
    world.engine.replaceCode([
      defineWorkflow({
        name: 'launch',
        version: launch.version,
        *run() {
          throw new Error('a bug');
        },
      }),
      terminate,
    ]);
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 1_000);
    expect(workflows(world)).toEqual(['launch/1 failed']);
    world.engine.replaceCode([launch, terminate]);
    await world.resync();
    await world.engine.runUntil(world.clock.now() + 1_000);
    world.engine.loseHistory(`test/${metadata.uid}/launch`);
    await world.settle();
    expect(workflows(world)).toEqual(['launch/3 completed']);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(world.cloud.ledger()).toHaveLength(1);
  });

  it('leaves claims at rest alone: those that are Ready, and those that wait for their next try', async () => {
    const world = await open({
      cloud: { faults: [soldOut('general-medium')] },
      settings: { firstPauseSeconds: 3000, maxPauseSeconds: 6000 },
    });
    await world.createClaim('ready', oneType);
    await world.createClaim('failed', { requirements: only(['general-medium']) });
    await world.settle(3);
    const before = await world.claims();
    const started = world.engine.all().length;
    for (let round = 0; round < 5; round++) await world.resync();
    expect(world.engine.all()).toHaveLength(started);
    expect(await world.claims()).toEqual(before);
    const asked = world.cloud.calls.create;
    await world.pass(6_001, 600);
    expect(world.cloud.calls.create).toBeGreaterThan(asked);
  });

  it('finds a Node whose event was lost', async () => {
    const world = await open({ decorate: withoutNodeNames, settings: { lookAgainSeconds: 30 } });
    await world.createClaim('one', oneType);
    await world.settle();
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });

  it('counts claims by phase, and what their machines cost', async () => {
    const world = await open({ cluster: { maxInstances: 1 } });
    await world.createClaim('one', oneType);
    await world.createClaim('two', oneType);
    await world.pass(60);
    await world.resync();
    const { text } = await world.services.metrics.expose();
    expect(text).toContain('poolwright_claims{cluster="test",phase="ready"} 1');
    expect(text).toContain('poolwright_claims{cluster="test",phase="none"} 1');
    expect(text).toMatch(/poolwright_claims_price_per_hour\{cluster="test"\} 0\.\d+/);
    expect(text).toContain('poolwright_claims_price_unknown{cluster="test"} 0');
  });

  it.each(['nodeclaims', 'nodes'])('that can not list %s says so and throws nothing', async (plural) => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    const { list } = world.api;
    Object.assign(world.api, {
      list: async (resource: { plural: string }, ...rest: unknown[]) =>
        resource.plural === plural
          ? failed('unavailable', 'away')
          : Reflect.apply(list, world.api, [resource, ...rest]),
    });
    await world.resync();
    expect(lines.find(({ event }) => event === 'resync.failed')).toMatchObject({ problem: 'away', cluster: 'test' });
  });
});

/** A provider that does not know what its machines are called in the cluster, as most don't. */
function withoutNodeNames(provider: TestWorld['provider']): TestWorld['provider'] {
  const bare = <T>(answer: T): T => {
    const text = JSON.stringify(answer, (key, value) => (key === 'nodeName' ? undefined : value));
    return JSON.parse(text) as T;
  };
  return new Proxy(provider, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const answer = Reflect.apply(value, target, args);
        return answer instanceof Promise ? answer.then(bare) : answer;
      };
    },
  });
}

it('refreshing the offerings reads every node class, counts what is sold out, and survives a cloud that is away', async () => {
  const { lines, logTo } = logLines();
  const world = await open({ logTo, cloud: { faults: [soldOut('general-small')] } });
  await world.createClaim('one', { requirements: only(['general-small', 'general-medium']) });
  await world.settle();
  await world.createNodeClass('second', { bootSeconds: 1 });
  const before = world.cloud.calls.types;
  await world.refreshOfferings();
  expect(world.cloud.calls.types).toBe(before + 2);
  expect((await world.services.metrics.expose()).text).toContain('poolwright_offerings_unavailable{provider="sim"} 1');
  await world.cloud.setFaults([{ on: 'types', do: { kind: 'error', status: 503 } }]);
  await world.refreshOfferings();
  // What was known before still serves.
  await world.createClaim('two', { requirements: only(['general-medium']) });
  await world.settle();
  expect(conditionStatus(await world.claim('two'), 'Ready')).toBe('True');
  Object.assign(world.api, { list: async () => failed('unavailable', 'away') });
  await world.refreshOfferings();
  expect(lines.some(({ event, problem }) => event === 'resync.failed' && problem === 'away')).toBe(true);
});

it('puts our finalizer back on a living claim that has a machine, beside those of others', async () => {
  const { createClaim, settle, claim, patchClaim, resync: look, deleteClaim, cloud } = await open();
  await createClaim('one');
  await settle();
  await patchClaim('one', { metadata: { finalizers: ['example.com/other'] } });

  await look();
  expect((await claim('one'))?.metadata.finalizers).toEqual(['example.com/other', 'karpenter.sh/termination']);

  await patchClaim('one', { metadata: { finalizers: ['karpenter.sh/termination'] } });
  await deleteClaim('one');
  await settle();
  expect(await claim('one')).toBeUndefined();
  expect(cloud.living).toBe(0);
});
