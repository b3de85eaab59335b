/** Nodes that join oddly: twice, too early, again, with somebody else's name on them; and what the claim says meanwhile. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { type KubeObject, nodes as nodeResource } from '../../shared/kube/contract.ts';
import { rememberNode } from '../../shared/nodes/node-objects/node-index.ts';
import type { StoredNode } from '../../shared/nodes/node-objects/node-stages.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };
const startup = { key: 'example.com/agent', value: 'starting', effect: 'NoSchedule' };
const lasting = { key: 'example.com/team', value: 'red', effect: 'NoExecute' };
const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

async function addNode(world: TestWorld, name: string, providerID: string, more: { [key: string]: Json } = {}) {
  const { metadata = {}, spec = {} } = more as { metadata?: { [key: string]: Json }; spec?: { [key: string]: Json } };
  const created = await world.api.create<StoredNode & KubeObject>(nodeResource, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...metadata },
    spec: { providerID, ...spec },
  });
  if (!created.ok) throw new Error(created.error.message);
  return created.value;
}

/** As a kubelet that was told to start afresh does: the Node goes and comes again, with what the kubelet was started with. */
async function recreate(world: TestWorld, node: StoredNode, taints: Json[]): Promise<StoredNode> {
  const { name } = node.metadata;
  await world.patchNode(name, { metadata: { finalizers: [] } });
  const deleted = await world.api.delete(nodeResource, { name }, {});
  if (!deleted.ok) throw new Error(deleted.error.message);
  await addNode(world, name, node.spec?.providerID ?? '', { spec: { taints } });
  const { conditions = [], capacity = {}, allocatable = {} } = node.status ?? {};
  const status = { capacity, allocatable, conditions: conditions.map((one) => ({ ...one })) };
  return await world.patchNode(name, { status }, 'status');
}

/** The machine that the cloud has made, as its kubelet will introduce it. */
function machineOf({ cloud }: TestWorld): { nodeName: string; providerID: string } {
  const [machine] = cloud.ledger();
  if (!machine) throw new Error('no machine yet');
  return { nodeName: machine.id, providerID: `sim:///${machine.zone}/${machine.id}` };
}

const ours = ['karpenter.sh/registered', 'karpenter.sh/initialized'];
const labelsOf = (node: StoredNode | undefined) => ours.map((key) => node?.metadata.labels?.[key]);

describe('two Nodes that say they are the same machine', () => {
  it('are not believed before one is registered, the claim names both, and goes on when one is gone', async () => {
    const world = await open({ cloud: { bootSeconds: 20, readySeconds: 60 } });
    await world.createClaim('one', oneType);
    await world.pass(15);
    const { nodeName, providerID } = machineOf(world);
    await addNode(world, 'impostor', providerID);
    // Both were told of before the machine was recorded.
    for (const name of ['impostor', nodeName]) await rememberNode(world.services, clusterName, providerID, name);
    await world.pass(20);
    const registered = conditionOf(await world.claim('one'), 'Registered');
    expect(registered).toMatchObject({ status: 'False', reason: 'MultipleNodesFound' });
    expect(registered?.message).toContain('impostor');
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('False');
    for (const node of await world.nodes()) expect(labelsOf(node)).toEqual([undefined, undefined]);

    await world.api.delete(nodeResource, { name: 'impostor' }, {});
    await world.pass(120);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });

  it('do not take back that one was registered; the claim is not initialized until the other is gone', async () => {
    const world = await open({ cloud: { readySeconds: 60 } });
    await world.createClaim('one', oneType);
    await world.pass(30);
    const [first] = await world.nodes();
    const before = conditionOf(await world.claim('one'), 'Registered');
    expect(before?.status).toBe('True');
    const second = await addNode(world, 'impostor', first?.spec?.providerID ?? '');
    await world.deliver(world.nodeEvent(second));
    await world.pass(60);
    const one = await world.claim('one');
    expect(conditionOf(one, 'Registered')).toEqual(before);
    expect(conditionOf(one, 'Initialized')).toMatchObject({ status: 'Unknown', reason: 'MultipleNodesFound' });
    expect(conditionOf(one, 'Initialized')?.message).toContain('impostor');
    await world.api.delete(nodeResource, { name: 'impostor' }, {});
    await world.pass(120);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });
});

it('a Node that joins before its machine is recorded is taken up with it, in one write', async () => {
  const world = await open({ cloud: { bootSeconds: 20, readySeconds: 60 } });
  await world.createClaim('one', oneType);
  await world.pass(15);
  const { nodeName, providerID } = machineOf(world);
  const early = await addNode(world, nodeName, providerID, { spec: { taints: [unregistered] } });
  await world.deliver(world.nodeEvent(early));
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
  const versions = new Set<string>();
  world.engine.beforeStep = async () => {
    await world.cloud.settle();
    const one = await world.claim('one');
    if (conditionStatus(one, 'Launched') === 'True') versions.add(conditionStatus(one, 'Registered') ?? 'none');
  };
  await world.pass(30);
  expect([...versions]).toEqual(['True']);
  const [node] = await world.nodes();
  expect(node?.metadata.uid).toBe(early.metadata.uid);
  expect(node?.metadata.labels?.['karpenter.sh/registered']).toBe('true');
  expect(node?.spec?.taints ?? []).not.toContainEqual(expect.objectContaining(unregistered));
});

describe('a Node that its kubelet makes anew', () => {
  it('before it is Ready gets everything again, and the claim stays Registered', async () => {
    const world = await open({ cloud: { readySeconds: 100, startupTaintSeconds: null } });
    await world.createClaim('one', { ...oneType, taints: [lasting], startupTaints: [startup] });
    await world.pass(30);
    const [node] = await world.nodes();
    const before = conditionOf(await world.claim('one'), 'Registered');
    expect(before?.status).toBe('True');
    await world.deliver(world.nodeEvent(await recreate(world, node!, [unregistered])));
    await world.pass(30);
    const [fresh] = await world.nodes();
    expect(fresh?.metadata.uid).not.toBe(node?.metadata.uid);
    expect(labelsOf(fresh)).toEqual(['true', undefined]);
    expect(fresh?.metadata.finalizers).toContain('karpenter.sh/termination');
    expect(fresh?.metadata.ownerReferences).toHaveLength(1);
    const keys = fresh?.spec?.taints?.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining([startup.key, lasting.key]));
    expect(keys).not.toContain(unregistered.key);
    expect(conditionOf(await world.claim('one'), 'Registered')).toEqual(before);
  });

  it('and that stays away is waited for under Initialized, until the deadline of that stage', async () => {
    const world = await open({ cloud: { readySeconds: 100 } });
    await world.createClaim('one', oneType);
    await world.pass(30);
    const [node] = await world.nodes();
    await world.patchNode(node!.metadata.name, { metadata: { finalizers: [] } });
    await world.api.delete(nodeResource, { name: node!.metadata.name }, {});
    await world.pass(40);
    const one = await world.claim('one');
    expect(conditionStatus(one, 'Registered')).toBe('True');
    expect(conditionOf(one, 'Initialized')).toMatchObject({ status: 'Unknown', reason: 'NodeNotFound' });
    await world.pass(900);
    expect(world.cloud.ledger()[0]?.goneAt).not.toBeNull();
  });
});

describe('the Node of a Ready claim', () => {
  const restored = async (world: TestWorld, name: string) => {
    const node = (await world.nodes()).find(({ metadata }) => metadata.name === name);
    const one = await world.claim('one');
    expect(labelsOf(node)).toEqual(['true', 'true']);
    expect(node?.metadata.labels).toMatchObject({ 'node.kubernetes.io/instance-type': 'general-small' });
    expect(node?.metadata.finalizers).toContain('karpenter.sh/termination');
    expect(node?.metadata.ownerReferences).toMatchObject([{ uid: one?.metadata.uid }]);
    return node;
  };

  it.each(['event', 'resync'])('gets everything again when its kubelet makes it anew, by %s', async (by) => {
    const world = await open();
    await world.createClaim('one', { ...oneType, taints: [lasting], startupTaints: [startup] });
    await world.pass(60);
    const [node] = await world.nodes();
    const before = await world.claim('one');
    expect(conditionStatus(before, 'Ready')).toBe('True');
    const fresh = await recreate(world, node!, [unregistered]);
    if (by === 'event') await world.deliver(world.nodeEvent(fresh));
    else await world.resync();
    const after = await restored(world, node!.metadata.name);
    // The machine has been through its start-up: only the lasting taint comes back.
    expect(after?.spec?.taints).toEqual([lasting]);
    expect((await world.claim('one'))?.status).toEqual(before?.status);
    expect((await world.eventsOf('one')).map(({ reason }) => reason).toSorted()).toEqual(['NodeRestored', 'Ready']);
  });

  it('is labeled initialized again only once it is Ready again', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const [node] = await world.nodes();
    const ready = { type: 'Ready', status: 'True' as const };
    const unready = { ...node!, status: { ...node!.status, conditions: [{ ...ready, status: 'False' as const }] } };
    const fresh = await recreate(world, unready, [unregistered]);
    await world.deliver(world.nodeEvent(fresh));
    expect(labelsOf((await world.nodes())[0])).toEqual(['true', undefined]);
    const again = await world.patchNode(fresh.metadata.name, { status: { conditions: [ready] } }, 'status');
    await world.deliver(world.nodeEvent(again));
    await restored(world, node!.metadata.name);
  });

  it('gets its labels again when somebody took them off', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const [node] = await world.nodes();
    const { name } = node!.metadata;
    const gone = { 'karpenter.sh/registered': null, 'node.kubernetes.io/instance-type': null };
    await world.patchNode(name, { metadata: { labels: gone } });
    await world.resync();
    await restored(world, name);
  });

  it('may come back under another name; a second one beside it is left alone, with an Event', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const [node] = await world.nodes();
    const twin = await addNode(world, 'other-name', node!.spec?.providerID ?? '');
    await world.deliver(world.nodeEvent(twin));
    expect(labelsOf((await world.nodes()).find(({ metadata }) => metadata.name === 'other-name'))[0]).toBeUndefined();
    expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('MultipleNodesFound');

    await world.patchNode(node!.metadata.name, { metadata: { finalizers: [] } });
    await world.api.delete(nodeResource, { name: node!.metadata.name }, {});
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { conditions, allocatable: { cpu: '2' } };
    await world.deliver(world.nodeEvent(await world.patchNode('other-name', { status }, 'status')));
    await restored(world, 'other-name');
    expect((await world.claim('one'))?.status?.nodeName).toBe('other-name');
  });
});

describe('a Node that belongs to another claim', () => {
  it('is left alone, and the claim says whose it is', async () => {
    const world = await open({ cloud: { bootSeconds: 20, readySeconds: 1 } });
    await world.createClaim('one', oneType);
    await world.pass(15);
    const { nodeName, providerID } = machineOf(world);
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'theirs', uid: 'uid-of-theirs' };
    const node = await addNode(world, nodeName, providerID, {
      metadata: { ownerReferences: [owner], labels: { 'example.com/theirs': 'yes' } },
    });
    await world.deliver(world.nodeEvent(node));
    await world.pass(40);
    const one = await world.claim('one');
    expect(conditionOf(one, 'Registered')).toMatchObject({ status: 'False', reason: 'NodeOfAnotherClaim' });
    expect(conditionOf(one, 'Registered')?.message).toContain('theirs');
    const [after] = await world.nodes();
    expect(after?.metadata.ownerReferences).toEqual([owner]);
    expect(after?.metadata.finalizers ?? []).toEqual([]);
    expect(labelsOf(after)).toEqual([undefined, undefined]);
  });

  it('is not taken over by a second claim whose status names it', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const [node] = await world.nodes();
    await world.deliver(world.nodeEvent(node!));
    const one = await world.claim('one');
    const two = await world.createClaim('two', oneType);
    const attempt = JSON.parse(one?.metadata.annotations?.['poolwright.dev/attempt'] ?? '{}');
    const record = JSON.stringify({ ...attempt, uid: two.metadata.uid });
    await world.patchClaim('two', { metadata: { annotations: { 'poolwright.dev/attempt': record } } });
    const conditions = [{ ...conditionOf(one, 'Launched')! }];
    await world.patchClaim('two', { status: { providerID: one?.status?.providerID ?? '', conditions } }, 'status');
    await world.pass(60);
    expect(conditionOf(await world.claim('two'), 'Registered')).toMatchObject({
      status: 'False',
      reason: 'NodeOfAnotherClaim',
    });
    expect((await world.nodes())[0]?.metadata.ownerReferences).toEqual(node?.metadata.ownerReferences);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });
});

describe('the conditions', () => {
  it('carry the generation, and the time of their last change of status only', async () => {
    const world = await open({ cloud: { readySeconds: 60 } });
    await world.createClaim('one', oneType);
    await world.pass(40);
    const waiting = await world.claim('one');
    await world.pass(60);
    const ready = await world.claim('one');
    for (const claim of [waiting, ready]) {
      for (const condition of claim?.status?.conditions ?? []) expect(condition.observedGeneration).toBe(1);
    }
    expect(conditionOf(ready, 'Launched')).toEqual(conditionOf(waiting, 'Launched'));
    expect(conditionOf(ready, 'Registered')).toEqual(conditionOf(waiting, 'Registered'));
    expect(conditionOf(ready, 'Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
    expect(conditionOf(waiting, 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'ReconcilingDependents',
      message: 'Initialized=Unknown',
    });
  });

  it('do not move with the words of a kubelet that is not Ready', async () => {
    const world = await open({ cloud: { readySeconds: 3000 } });
    await world.createClaim('one', oneType);
    await world.pass(40);
    const [node] = await world.nodes();
    const say = async (message: string) => {
      const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
      const patched = await world.patchNode(node!.metadata.name, { status: { conditions: [ready] } }, 'status');
      await world.deliver(world.nodeEvent(patched));
      await world.pass(25);
    };
    await say('PLEG is not healthy: last seen active 3m1s ago');
    const before = await world.claim('one');
    expect(conditionOf(before, 'Initialized')).toMatchObject({ status: 'Unknown', reason: 'NodeNotReady' });
    await say('PLEG is not healthy: last seen active 3m26s ago');
    await say('PLEG is not healthy: last seen active 3m51s ago');
    expect((await world.claim('one'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });

  it('say that an instance is being created, once that takes longer than a few seconds', async () => {
    const world = await open({ cloud: { bootSeconds: 120 } });
    await world.createClaim('one', oneType);
    await world.pass(10);
    expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'Launching',
      message: expect.stringContaining('general-small in zone-a'),
    });
    await world.pass(150);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });

  it('stay True when the node of a Ready claim is not Ready for a while', async () => {
    const world = await open();
    await world.createClaim('one', oneType);
    await world.settle();
    const before = await world.claim('one');
    const [node] = await world.nodes();
    const unready = [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'x' }];
    const flapped = await world.patchNode(node!.metadata.name, { status: { conditions: unready } }, 'status');
    await world.deliver(world.nodeEvent(flapped));
    await world.pass(120);
    expect((await world.claim('one'))?.status).toEqual(before?.status);
    expect((await world.nodes())[0]?.metadata.labels?.['karpenter.sh/initialized']).toBe('true');
  });
});
