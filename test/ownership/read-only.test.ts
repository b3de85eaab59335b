/** What a deployment does, and does not do, in a cluster that somebody else owns. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodeClaims, nodes } from '../../shared/kube/contract.ts';
import type { ClusterLeadership, Standing } from '../../shared/ownership/standing.ts';
import { only, pooled, useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus } from '../nodes/world.ts';

const open = useWorld();
const other: Standing = {
  acts: false,
  reason: 'NotOwner',
  who: 'theirs/1',
  why: 'deployment theirs acts on cluster test',
};

function switchable(first: Standing): ClusterLeadership & { become(standing: Standing): void } {
  let now = first;
  return { standing: async () => now, renew: async () => now, become: (standing) => (now = standing) };
}

/** Acts for so many more questions: the Lease is lost in the middle of a run. */
function losing(): ClusterLeadership & { after(questions: number): void } {
  let left = Number.POSITIVE_INFINITY;
  const standing = async (): Promise<Standing> => (left-- > 0 ? { acts: true } : other);
  const after = (questions: number): void => {
    left = questions;
  };
  return { standing, renew: standing, after };
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

  it('touches no Node and no claim once it has lost the cluster in the middle of a garbage collection', async () => {
    const ownership = losing();
    const vanish = { on: 'create' as const, count: 2, do: { kind: 'vanish' as const, afterSeconds: 100 } };
    const world = await open({ ownership, cloud: { faults: [vanish], nodeLostSeconds: 10 } });
    const requirements = only(['general-small']);
    await world.createClaim('vanished', { requirements });
    await world.createClaim('of-a-pool', { requirements, metadata: pooled });
    await world.createClaim('node-deleted', { requirements });
    await world.createClaim('node-left', { requirements });
    await world.settle();
    world.clock.advance(200_000);
    await world.cloud.settle();
    await world.collectGarbage();
    world.clock.advance(100_000);
    await world.api.delete(nodes, { name: (await world.claim('node-deleted'))?.status?.nodeName ?? '' }, {});
    const before = await everything(world);
    ownership.after(1);
    await world.collectGarbage();
    expect(await everything(world)).toBe(before);
    ownership.after(Number.POSITIVE_INFINITY);
    await world.collectGarbage();
    expect(await everything(world)).not.toBe(before);
  });

  it('touches no claim once it has lost the cluster in the middle of a resync', async () => {
    const ownership = losing();
    const world = await open({ ownership });
    const requirements = only(['general-small']);
    await world.createClaim('a', { requirements });
    await world.createClaim('b', { requirements });
    await world.settle();
    await world.patchClaim('b', { metadata: { finalizers: null } as Json });
    const before = await everything(world);
    ownership.after(1);
    await world.resync();
    expect(await everything(world)).toBe(before);
    ownership.after(Number.POSITIVE_INFINITY);
    await world.resync();
    expect(await everything(world)).not.toBe(before);
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
