/**
 * Whoever holds the intake key of a cluster may send any event about it. Each one here says the worst about a healthy machine, its Node, its
 * claim or its pool; nothing may be deleted or drained for it.
 */
import { describe, expect, it } from 'vitest';
import { type EventType, eventTypes } from '../../events/catalog.ts';
import { makeEvent } from '../../events/make.ts';
import { takeBack, useWorld } from './use-world.ts';
import { clusterName, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const names = ['one', 'two', 'three'];

async function threeReady(options: Parameters<typeof open>[0] = {}): Promise<TestWorld> {
  const world = await open(options);
  for (const name of names) await world.createClaim(name);
  await world.settle();
  for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
  return world;
}

interface Victim {
  name: string;
  uid: string;
  node: string;
  providerID: string;
}

async function victims(world: TestWorld): Promise<Victim[]> {
  return (await world.claims()).map(({ metadata: { name, uid }, status }) => ({
    name,
    uid,
    node: status?.nodeName ?? '',
    providerID: status?.providerID ?? '',
  }));
}

const cluster = clusterName;
const observedBy = 'bridge' as const;

/** Every type of event has a line here: a new one must have its lie, too. */
const lies: Record<EventType, (victim: Victim) => object> = {
  'dev.poolwright.claim.changed.v1': ({ name, uid }) => ({
    cluster,
    name,
    uid,
    generation: 9,
    deleting: true,
    observedBy,
  }),
  'dev.poolwright.claim.deleted.v1': ({ name, uid }) => ({ cluster, name, uid, observedBy }),
  'dev.poolwright.node.changed.v1': ({ node, providerID }) => ({
    cluster,
    name: node,
    uid: 'any',
    providerID,
    ready: false,
    deleting: true,
    observedBy,
  }),
  'dev.poolwright.instance.interrupted.v1': ({ providerID }) => ({
    cluster,
    provider: 'sim',
    providerID,
    reason: 'so they say',
  }),
  'dev.poolwright.pool.changed.v1': () => ({
    cluster,
    name: 'pool',
    uid: 'any',
    generation: 9,
    deleting: true,
    observedBy,
  }),
  'dev.poolwright.machine.changed.v1': ({ name, uid }) => ({
    cluster,
    namespace: 'default',
    name,
    uid,
    deleting: true,
    observedBy,
  }),
  'dev.poolwright.cluster-request.changed.v1': ({ name, uid }) => ({
    cluster,
    namespace: 'default',
    name,
    uid,
    generation: 9,
    deleting: true,
    observedBy,
  }),
  'dev.poolwright.node-class.changed.v1': () => ({
    cluster,
    group: 'poolwright.dev',
    kind: 'SimNodeClass',
    name: 'default',
    uid: 'any',
    generation: 9,
    deleting: true,
    observedBy,
  }),
};

const tell = (world: TestWorld, type: EventType, data: object) =>
  world.deliver(
    makeEvent(type, data as never, { id: 'forged', time: world.clock.now(), source: '/intake', subject: 'any' }),
  );

describe('a forged event', () => {
  it.each(eventTypes)('%s deletes and drains nothing', async (type) => {
    const world = await threeReady();
    for (const victim of await victims(world)) await tell(world, type, lies[type](victim));
    await world.pass(120);
    expect((await world.claims()).map(({ metadata }) => metadata.deletionTimestamp)).toEqual(
      names.map(() => undefined),
    );
    for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
    for (const { spec } of await world.nodes()) expect(spec?.taints ?? []).toEqual([]);
    expect(world.cloud.living).toBe(3);
  });
});

describe('events that are true', () => {
  it('delete no more claims in a minute than the cluster allows', async () => {
    const world = await threeReady({ cluster: { deletionsPerMinute: 2 } });
    const type = 'dev.poolwright.instance.interrupted.v1';
    const all = await victims(world);
    for (const victim of all) await takeBack(world, victim.providerID);
    const answers = [];
    for (const victim of all) answers.push(await tell(world, type, lies[type](victim)));
    expect(answers).toEqual(['done', 'done', { retryAfterSeconds: expect.any(Number), reason: expect.any(String) }]);
    const deleting = async () =>
      (await world.claims()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
    expect(await deleting()).toBe(2);
    world.clock.advance(60_000);
    expect(await tell(world, type, lies[type](all[2]!))).toBe('done');
  });
});
