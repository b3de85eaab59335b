/** The watcher: events are hints. Doubled, late, re-ordered, early or lost, they do no harm. */
import { describe, expect, it } from 'vitest';
import type { EventType, PoolwrightEvent } from '../../events/catalog.ts';
import { makeEvent } from '../../events/make.ts';
import { failed } from '../../shared/base/result.ts';
import { type ClusterApi, nodeClaims, nodes } from '../../shared/kube/contract.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { handOverSeen } from '../../shared/nodes/steps/claim-handover.ts';
import { countRequests } from './counting-api.ts';
import { interpose } from './drain-world.ts';
import { only, takeBack, useWorld } from './use-world.ts';
import { clusterName, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

const attributes = (time: number) => ({ id: 'e-1', time, source: '/test' });

type Observer = 'bridge' | 'webhook' | 'resync';
function changed(
  { clock }: TestWorld,
  { metadata }: Pick<StoredClaim, 'metadata'>,
  more: { deleting?: boolean; observedBy?: Observer; cluster?: string } = {},
): PoolwrightEvent {
  const { deleting = false, observedBy = 'bridge', cluster = clusterName } = more;
  const { name, uid, resourceVersion } = metadata;
  const data = { cluster, name, uid, resourceVersion, deleting, observedBy };
  return makeEvent('dev.poolwright.claim.changed.v1', data, attributes(clock.now()));
}

const workflows = ({ engine }: TestWorld): string[] =>
  engine.all().map(({ workflow, epoch }) => `${workflow}/${epoch}`);

describe('a changed claim', () => {
  it('is launched; the same event again starts nothing', async () => {
    const world = await open();
    const claim = await world.createClaim('one', oneType);
    for (let time = 0; time < 3; time++) expect(await world.deliver(changed(world, claim), time + 1)).toBe('done');
    expect(workflows(world)).toEqual(['launch/1']);
    await world.engine.runUntil(world.clock.now() + 120_000);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(await world.deliver(changed(world, claim))).toBe('done');
    expect(workflows(world)).toEqual(['launch/1']);
  });

  it('that is deleted is terminated, also when the events come in the wrong order', async () => {
    const world = await open();
    const claim = await world.createClaim('one', oneType);
    await world.settle();
    await world.deleteClaim('one');
    expect(await world.deliver(changed(world, claim, { deleting: true }))).toBe('done');
    expect(await world.deliver(changed(world, claim))).toBe('done');
    expect(workflows(world)).toEqual(['launch/1', 'terminate/1']);
    await world.engine.runUntil(world.clock.now() + 120_000);
    expect(await world.claim('one')).toBeUndefined();
    expect(await world.deliver(changed(world, claim, { deleting: true }))).toBe('done');
  });

  it('of another uid under the name, or of nobody, is done with', async () => {
    const world = await open();
    const claim = await world.createClaim('one', oneType);
    const other = { metadata: { ...claim.metadata, uid: '11111111-2222-4333-8444-555555555555' } };
    expect(await world.deliver(changed(world, other))).toBe('done');
    const nobody = { metadata: { ...claim.metadata, name: 'nobody' } };
    expect(await world.deliver(changed(world, nobody))).toBe('done');
    expect(workflows(world)).toEqual([]);
  });

  it('that the webhook saw before it was stored is looked for again, a few times and at longer and longer intervals', async () => {
    const world = await open();
    const { metadata } = await world.createClaim('template', oneType);
    const early = { metadata: { ...metadata, name: 'early' } };
    const pauses: number[] = [];
    for (let looks = 1; looks < 8; looks++) {
      const handled = await world.deliver(changed(world, early, { observedBy: 'webhook' }), looks);
      expect(handled).toMatchObject({ reason: 'the claim is not stored yet' });
      if (typeof handled === 'object' && 'retryAfterSeconds' in handled) pauses.push(handled.retryAfterSeconds);
    }
    expect(pauses).toEqual([0.25, 0.5, 1, 2, 4, 8, 16]);
    expect(await world.deliver(changed(world, early, { observedBy: 'webhook' }), 8)).toBe('done');
    expect(await world.deliver(changed(world, early, { observedBy: 'webhook', deleting: true }))).toBe('done');
    const deleting = changed(world, { metadata }, { observedBy: 'webhook', deleting: true });
    expect(await world.deliver(deleting)).toMatchObject({ retryAfterSeconds: 0.25 });
    expect(workflows(world)).toEqual([]);
  });

  it('of a cluster that nobody configured is a dead letter that names it', async () => {
    const world = await open();
    const claim = await world.createClaim('one', oneType);
    const handled = await world.deliver(changed(world, claim, { cluster: 'elsewhere' }));
    expect(handled).toEqual({ dead: expect.stringContaining('elsewhere') });
  });

  it('in a cluster that is away is tried again with growing pauses, up to five minutes', async () => {
    const world = await open();
    const claim = await world.createClaim('one', oneType);
    Object.assign(world.api, { get: async () => failed('unavailable', 'connection refused') });
    const pauses: number[] = [];
    for (const receiveCount of [1, 2, 3, 4, 9, 1000]) {
      const handled = await world.deliver(changed(world, claim), receiveCount);
      if (handled === 'done' || 'dead' in handled) throw new Error('it gave up');
      expect(handled.reason).toContain('connection refused');
      pauses.push(handled.retryAfterSeconds);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 300, 300]);
  });
});

describe('a claim that is gone', () => {
  it('wakes its launch, which then ends and leaves nothing', async () => {
    const world = await open({ cloud: { bootSeconds: 3000 } });
    const claim = await world.createClaim('one', oneType);
    await world.deliver(changed(world, claim));
    await world.engine.runUntil(world.clock.now() + 5_000);
    await world.patchClaim('one', { metadata: { finalizers: [] } });
    await world.deleteClaim('one');
    const { name, uid } = claim.metadata;
    const data = { cluster: clusterName, name, uid, observedBy: 'bridge' as const };
    const event = makeEvent('dev.poolwright.claim.deleted.v1', data, attributes(world.clock.now()));
    expect(await world.deliver(event)).toBe('done');
    expect(await world.deliver(event)).toBe('done');
    const before = world.clock.now();
    await world.engine.runUntil(before + 1_000);
    expect(world.engine.all()).toMatchObject([{ status: 'completed' }]);
  });
});

it('a claim that the watch of this process has seen is not read again, if the event is about that version', async () => {
  const world = await open();
  const claim = (await world.createClaim('one', oneType)) as StoredClaim;
  const requests = countRequests(world.clusterServices);
  const reads = () => requests.splice(0).filter(({ verb }) => verb === 'get').length;
  const other = { metadata: { ...claim.metadata, resourceVersion: '1' } };
  handOverSeen(world.services, world.clusterServices, claim);
  await world.deliver(changed(world, other));
  expect(reads()).toBe(1);
  // What was there for another version is not kept.
  await world.deliver(changed(world, claim));
  expect(reads()).toBe(1);
  handOverSeen(world.services, world.clusterServices, claim);
  await world.deliver(changed(world, claim));
  expect(reads()).toBe(0);
  expect(workflows(world)).toHaveLength(1);
});

describe('a Node', () => {
  it('that nobody asked for starts nothing; one without a providerID is nobody', async () => {
    const world = await open();
    const node = { metadata: { name: 'n', uid: 'n-uid' }, spec: { providerID: 'aws:///x/i-1' } };
    const event = world.nodeEvent(node as Parameters<TestWorld['nodeEvent']>[0]);
    expect(await world.deliver(event)).toBe('done');
    const data = { cluster: clusterName, name: 'n', uid: 'n-uid', ready: true, deleting: true };
    const anonymous = makeEvent('dev.poolwright.node.changed.v1', data, attributes(world.clock.now()));
    expect(await world.deliver(anonymous)).toBe('done');
    const gone = { ...event, data: { ...event.data, deleting: true } } as PoolwrightEvent;
    expect(await world.deliver(gone)).toBe('done');
    expect(workflows(world)).toEqual([]);
  });

  it('that does not exist leaves nothing behind, however many events tell of one', async () => {
    const world = await open();
    const kept = async () => (await world.services.state.list('node-of/')).items;
    const node = (name: string, providerID: string) =>
      ({ metadata: { name, uid: `${name}-uid` }, spec: { providerID } }) as Parameters<TestWorld['nodeEvent']>[0];
    for (let index = 0; index < 20; index++) {
      expect(await world.deliver(world.nodeEvent(node(`junk-${index}`, `sim:///zone-a/i-${index}`)))).toBe('done');
    }
    expect(await kept()).toEqual([]);
    // A Node that exists is no proof of another machine, and one of nobody's cloud is nothing to us.
    const real = node('real', 'sim:///zone-a/i-real');
    const spec = { providerID: 'sim:///zone-a/i-real' };
    await world.api.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real' }, spec });
    await world.deliver(world.nodeEvent(node('real', 'sim:///zone-a/i-other')));
    await world.deliver(world.nodeEvent(node('real', 'other:///zone-a/i-real')));
    expect(await kept()).toEqual([]);
    await world.deliver(world.nodeEvent(real));
    expect(await kept()).toMatchObject([{ value: ['real'] }]);
    world.clock.advance(25 * 3600 * 1000);
    expect(await kept()).toEqual([]);
  });

  it('keeps its place in the index whatever names events give to its machine', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const [joined] = await world.nodes();
    const before = (await world.services.state.list('node-of/')).items.map(({ value }) => value);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const fake = { ...joined!, metadata: { ...joined!.metadata, name } };
      expect(await world.deliver(world.nodeEvent(fake))).toBe('done');
    }
    expect((await world.services.state.list('node-of/')).items.map(({ value }) => value)).toEqual(before);
  });

  it('that can not be looked at now is looked at later', async () => {
    const world = await open();
    const node = { metadata: { name: 'n', uid: 'n-uid' }, spec: { providerID: 'sim:///zone-a/i-1' } };
    interpose(world, { get: async () => failed('unavailable', 'away') });
    const event = world.nodeEvent(node as Parameters<TestWorld['nodeEvent']>[0]);
    expect(await world.deliver(event)).toMatchObject({ reason: 'away' });
  });

  it('that joins wakes the launch at once, before its own timer', async () => {
    const world = await open({ cloud: { registerSeconds: 5 }, settings: { lookAgainSeconds: 500 } });
    const claim = await world.createClaim('one', oneType);
    await world.deliver(changed(world, claim));
    await world.engine.runUntil(world.clock.now() + 60_000);
    expect(conditionStatus(await world.claim('one'), 'Registered')).toBe('Unknown');
    await world.cloud.settle();
    const [node] = await world.nodes();
    await world.deliver(world.nodeEvent(node!));
    await world.engine.runUntil(world.clock.now() + 1_000);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });

  it('is not read for an event from before its launch read it', async () => {
    const world = await open();
    const claim = await world.createClaim('one', oneType);
    await world.deliver(changed(world, claim));
    await world.settle();
    const [node] = await world.nodes();
    const late = world.nodeEvent(node!);
    const requests = countRequests(world.clusterServices);
    const before = new Date(Date.parse(claim.metadata.creationTimestamp)).toISOString();
    expect(await world.deliver({ ...late, time: before })).toBe('done');
    expect(requests).toEqual([]);
    const { time: _, ...timeless } = late;
    for (const event of [late, timeless]) expect(await world.deliver(event as PoolwrightEvent)).toBe('done');
    expect(requests).toMatchObject([
      { verb: 'get', kind: 'Node' },
      { verb: 'get', kind: 'Node' },
    ]);
  });

  it('whose deletion can not be judged now is judged later', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    await deleteNode(world);
    const [deleting] = await world.nodes();
    await world.cloud.setFaults([{ on: 'get', do: { kind: 'error', status: 503 } }]);
    expect(await world.deliver(world.nodeEvent(deleting!))).toMatchObject({ retryAfterSeconds: 2 });
    expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('an event that says that a Node is being deleted', () => {
  const forged = (world: TestWorld, node: Parameters<TestWorld['nodeEvent']>[0], name = node.metadata.name) => {
    const event = world.nodeEvent(node);
    return world.deliver({ ...event, data: { ...event.data, name, deleting: true } } as PoolwrightEvent);
  };

  it('deletes nothing if the cluster does not say so', async () => {
    const world = await open();
    for (const name of ['one', 'two']) await world.createClaim(name, oneType);
    await world.settle();
    const [first, second] = await world.nodes();
    expect(await forged(world, first!)).toBe('done');
    // The machine of one Node under the name of another, and of none.
    await deleteNode(world, second!.metadata.name);
    expect(await forged(world, first!, second!.metadata.name)).toBe('done');
    expect(await forged(world, first!, 'no-such-node')).toBe('done');
    for (const { metadata } of await world.claims()) expect(metadata.deletionTimestamp).toBeUndefined();
    expect(world.cloud.living).toBe(2);
  });

  it('deletes the claim if the cluster says so too', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    await deleteNode(world);
    const [node] = await world.nodes();
    expect(await world.deliver(world.nodeEvent(node!))).toBe('done');
    expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('waits for a cluster that does not answer', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const [node] = await world.nodes();
    interpose(world, { get: async () => failed('unavailable', 'away') });
    expect(await forged(world, node!)).toMatchObject({ reason: 'away' });
  });
});

async function deleteNode(world: TestWorld, name?: string): Promise<void> {
  const [node] = await world.nodes();
  const deleted = await world.clusterServices.api.delete(nodes, { name: name ?? node!.metadata.name }, {});
  expect(deleted.ok).toBe(true);
}

it('a Node that is deleted does not take a claim along that has another machine by then', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  await world.settle();
  await deleteNode(world);
  const [node] = await world.nodes();
  const api = world.clusterServices.api;
  interpose(world, {
    delete: (async (resource, ref, ...rest) => {
      const claim = await world.claim('one');
      const record = JSON.parse(claim?.metadata.annotations?.['poolwright.dev/attempt'] ?? '{}');
      const next = JSON.stringify({ ...record, attempt: record.attempt + 1 });
      const patch = { metadata: { annotations: { 'poolwright.dev/attempt': next } } };
      if (resource === nodeClaims) await world.api.mergePatch(nodeClaims, { name: 'one' }, patch);
      return api.delete(resource, ref, ...rest);
    }) as ClusterApi['delete'],
  });
  expect(await world.deliver(world.nodeEvent(node!))).toMatchObject({ reason: expect.stringContaining('changed') });
  expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
});

describe('an interruption', () => {
  const notice = (world: TestWorld, providerID: string): PoolwrightEvent => {
    const data = { cluster: clusterName, provider: 'sim', providerID, reason: 'spot capacity is needed elsewhere' };
    return makeEvent('dev.poolwright.instance.interrupted.v1' satisfies EventType, data, attributes(world.clock.now()));
  };

  it('deletes the claim, which drains it, and has others keep off the offering for a while', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const providerID = (await world.claim('one'))?.status?.providerID ?? '';
    await takeBack(world, providerID);
    expect(await world.deliver(notice(world, providerID))).toBe('done');
    expect(await world.deliver(notice(world, providerID))).toBe('done');
    expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeDefined();
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
    await world.createClaim('two', { requirements: only(['general-small'], ['zone-a', 'zone-b']) });
    await world.settle();
    expect((await world.claim('two'))?.metadata.labels?.['topology.kubernetes.io/zone']).toBe('zone-b');
  });

  it("of a machine that is nobody's, or no longer the claim's, is done with", async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    expect(await world.deliver(notice(world, 'sim:///zone-a/i-unknown'))).toBe('done');
    await world.services.state.put('claim-of/test/sim:///zone-a/i-old', {
      name: 'one',
      uid: (await world.claim('one'))!.metadata.uid,
    });
    expect(await world.deliver(notice(world, 'sim:///zone-a/i-old'))).toBe('done');
    expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
