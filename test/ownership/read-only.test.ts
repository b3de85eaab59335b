/** What a deployment does, and does not do, in a cluster that somebody else owns. */
import { describe, expect, it } from 'vitest';
import { nodeClaims, nodes } from '../../shared/cluster/contract.ts';
import type { Json } from '../../shared/json.ts';
import type { Ownership, Standing } from '../../shared/ownership/standing.ts';
import { useWorld } from '../lifecycle/use-world.ts';
import { conditionOf, conditionStatus } from '../lifecycle/world.ts';

const open = useWorld();
const other: Standing = {
  acts: false,
  reason: 'NotOwner',
  who: 'theirs/1',
  why: 'deployment theirs acts on cluster test',
};

function switchable(first: Standing): Ownership & { become(standing: Standing): void } {
  let now = first;
  return { standing: async () => now, renew: async () => now, become: (standing) => (now = standing) };
}

const everything = async (world: Awaited<ReturnType<typeof open>>): Promise<string> => {
  const kinds = [nodeClaims, nodes, world.nodeClasses];
  const lists = await Promise.all(kinds.map((kind) => world.api.list(kind)));
  return JSON.stringify(lists.map((list) => list.ok && list.value.items));
};

describe('a deployment that does not own the cluster', () => {
  it('starts no workflow and buys nothing', async () => {
    const ownership = switchable(other);
    const world = await open({ ownership });
    await world.createClaim('one');
    await world.pass(50);
    expect(world.engine.all()).toEqual([]);
    expect(world.cloud.living).toBe(0);
  });

  it('writes nothing to claims that another one has touched, whatever state they are in', async () => {
    const ownership = switchable({ acts: true });
    const world = await open({ ownership, cloud: { bootSeconds: 10_000 } });
    await world.createClaim('launching');
    await world.pass(40);
    ownership.become(other);
    // What was under way comes to a stop first.
    await world.pass(60);
    const before = await everything(world);
    await world.pass(600);
    await world.collectGarbage();
    expect(await everything(world)).toBe(before);
  });

  it('says so on a claim that nobody serves, in a condition, an Event and in what explain tells', async () => {
    const world = await open({ ownership: switchable(other) });
    const claim = await world.createClaim('one');
    await world.pass(120);
    expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'NotOwner',
      message: other.why,
    });
    expect(await world.eventsOf('one')).toMatchObject([{ reason: 'NotOwner', type: 'Warning', count: 1 }]);
    expect(await world.decisionsOf(claim)).toMatchObject([{ step: 'owner', text: other.why }]);
    const { metadata } = (await world.claim('one')) ?? {};
    await world.pass(600);
    expect((await world.claim('one'))?.metadata.resourceVersion).toBe(metadata?.resourceVersion);
  });

  it('goes on where it was when the cluster is its own again, with the machine that was being made', async () => {
    const ownership = switchable({ acts: true });
    const world = await open({ ownership, cloud: { bootSeconds: 60, deleteSeconds: 3 } });
    await world.createClaim('one');
    await world.pass(20);
    ownership.become(other);
    await world.pass(1800);
    expect(conditionStatus(await world.claim('one'), 'Ready')).not.toBe('True');
    ownership.become({ acts: true });
    await world.settle();
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.overlaps()).toEqual([]);
  });

  it('deletes no machine, by no way', async () => {
    const ownership = switchable({ acts: true });
    const world = await open({ ownership });
    await world.createClaim('one');
    await world.createClaim('orphan');
    await world.settle();
    ownership.become(other);
    await world.deleteClaim('one');
    await world.deleteClaim('orphan');
    await world.patchClaim('orphan', { metadata: { finalizers: null } as Json });
    for (let run = 0; run < 5; run++) {
      await world.pass(120);
      await world.collectGarbage();
    }
    expect(world.cloud.living).toBe(2);
    ownership.become({ acts: true });
    for (let run = 0; run < 3; run++) {
      await world.pass(120);
      await world.collectGarbage();
    }
    expect(world.cloud.living).toBe(0);
    expect(await world.claims()).toEqual([]);
  });

  it('drops events, and tries again those for a cluster whose owner is not known', async () => {
    const ownership = switchable(other);
    const world = await open({ ownership });
    await world.createClaim('one');
    await world.pass(1);
    const node = {
      metadata: { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
      spec: { providerID: 'x' },
    };
    expect(await world.deliver(world.nodeEvent(node))).toBe('done');
    ownership.become({ acts: false, reason: 'OwnerUnknown', why: 'no answer' });
    expect(await world.deliver(world.nodeEvent(node))).toMatchObject({ reason: 'no answer' });
  });
});
