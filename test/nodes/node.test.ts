/** From a joined Node to Ready: what is synced, what is waited for, and Nodes that behave oddly. */
import { describe, expect, it } from 'vitest';
import { nodes as nodeResource } from '../../shared/kube/contract.ts';
import { only, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };
const startup = { key: 'example.com/agent', value: 'starting', effect: 'NoSchedule' };
const lasting = { key: 'example.com/team', value: 'red', effect: 'NoExecute' };

describe('registration', () => {
  it('gives the Node the labels, annotations, taints, owner and finalizer of its claim', async () => {
    const { createClaim, pass, claim, nodes } = await open({ cloud: { startupTaintSeconds: null } });
    await createClaim('one', {
      ...oneType,
      metadata: {
        labels: { 'example.com/shelf': '7' },
        annotations: { 'example.com/note': 'hello', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
      taints: [lasting],
      startupTaints: [startup],
    });
    await pass(60);
    const [node] = await nodes();
    const one = await claim('one');
    expect(node?.metadata.labels).toMatchObject({
      'example.com/shelf': '7',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/capacity-type': 'on-demand',
      'node.kubernetes.io/instance-type': 'general-small',
      'topology.kubernetes.io/zone': 'zone-a',
      'poolwright.dev/simnodeclass': 'default',
    });
    expect(node?.metadata.labels?.['karpenter.sh/initialized']).toBeUndefined();
    expect(node?.metadata.annotations).toMatchObject({ 'example.com/note': 'hello' });
    expect(Object.keys(node?.metadata.annotations ?? {})).not.toContain('poolwright.dev/attempt');
    expect(node?.metadata.finalizers).toContain('karpenter.sh/termination');
    expect(node?.metadata.ownerReferences).toMatchObject([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        name: 'one',
        uid: one?.metadata.uid,
        blockOwnerDeletion: true,
      },
    ]);
    expect(node?.spec?.taints).toEqual(expect.arrayContaining([lasting, startup]));
    expect(node?.spec?.taints?.map(({ key }) => key)).not.toContain('karpenter.sh/unregistered');
    expect(one?.status?.nodeName).toBe(node?.metadata.name);
    expect(conditionStatus(one, 'Registered')).toBe('True');
    expect(conditionOf(one, 'Initialized')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining('example.com/agent=starting:NoSchedule'),
    });
    expect(conditionStatus(one, 'Ready')).toBe('Unknown');
  });

  it('is complete only when the startup taints are gone; they are never put back', async () => {
    const { createClaim, pass, claim, nodes, patchNode } = await open({ cloud: { startupTaintSeconds: null } });
    await createClaim('one', { ...oneType, taints: [lasting], startupTaints: [startup] });
    await pass(60);
    const [node] = await nodes();
    await patchNode(node!.metadata.name, { spec: { taints: [lasting] } });
    await pass(60);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    const [after] = await nodes();
    expect(after?.spec?.taints).toEqual([lasting]);
    expect(after?.metadata.labels?.['karpenter.sh/initialized']).toBe('true');
  });

  it('leaves the taints alone on a Node that says so', async () => {
    const { createClaim, pass, nodes, engine, patchNode, cloud } = await open({ cloud: { readySeconds: 1000 } });
    await createClaim('one', { ...oneType, taints: [lasting] });
    engine.beforeStep = async (_, { activity }) => {
      await cloud.settle();
      const [node] = await nodes();
      // What a bootstrap script of its own would have set before anybody looks.
      if (activity === 'advance' && node && node.metadata.labels?.['karpenter.sh/registered'] === undefined) {
        const metadata = { labels: { 'karpenter.sh/do-not-sync-taints': 'true' } };
        await patchNode(node.metadata.name, { metadata, spec: { taints: [] } });
      }
    };
    await pass(60);
    const [node] = await nodes();
    expect(node?.metadata.labels?.['karpenter.sh/registered']).toBe('true');
    expect(node?.spec?.taints ?? []).toEqual([]);
  });
});

describe('initialization', () => {
  it('waits for a GPU that the device plugin reports late', async () => {
    const { createClaim, pass, claim } = await open({ cloud: { gpuSeconds: 100 } });
    await createClaim('one', { resources: { requests: { 'nvidia.com/gpu': '1' } } });
    await pass(60);
    expect(conditionOf(await claim('one'), 'Initialized')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining('does not report nvidia.com/gpu yet'),
    });
    await pass(120);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
  });

  it.each(['node.cloudprovider.kubernetes.io/uninitialized', 'readiness.k8s.io/storage'])(
    'waits until %s is off',
    async (key) => {
      const { createClaim, pass, claim, nodes, patchNode, engine, cloud } = await open();
      await createClaim('one', oneType);
      const taint = { key, value: 'true', effect: 'NoSchedule' };
      let tainted = false;
      engine.beforeStep = async () => {
        await cloud.settle();
        const [node] = await nodes();
        if (!node || tainted) return;
        tainted = true;
        const taints = [...(node.spec?.taints ?? []), taint].map((one) => ({ ...one }));
        await patchNode(node.metadata.name, { spec: { taints } });
      };
      await pass(60);
      expect(conditionOf(await claim('one'), 'Initialized')?.message).toContain(key);
      const [node] = await nodes();
      await patchNode(node!.metadata.name, { spec: { taints: [] } });
      await pass(60);
      expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    },
  );
});

describe('a Node that somebody deletes', () => {
  it('takes its claim and its machine with it', async () => {
    const { createClaim, settle, claim, nodes, api, deliver, nodeEvent, cloud } = await open();
    await createClaim('one', oneType);
    await settle();
    const [node] = await nodes();
    await api.delete(nodeResource, { name: node!.metadata.name }, {});
    const [deleting] = await nodes();
    expect(deleting?.metadata.deletionTimestamp).toBeDefined();
    expect(await deliver(nodeEvent(deleting!))).toBe('done');
    await settle();
    expect(await claim('one')).toBeUndefined();
    expect(await nodes()).toEqual([]);
    expect(cloud.living).toBe(0);
  });

  it('does not take a claim that has moved on to another machine', async () => {
    const { createClaim, settle, claim, nodes, api, deliver, nodeEvent, services, patchNode } = await open();
    const { metadata } = await createClaim('one', oneType);
    await settle();
    const old = await api.create<Awaited<ReturnType<typeof nodes>>[number]>(nodeResource, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'old', finalizers: ['example.com/theirs'] },
      spec: { providerID: 'sim:///zone-a/i-of-an-earlier-attempt' },
    });
    if (!old.ok) throw new Error(old.error.message);
    // The index still remembers whose the earlier machine was.
    const { name, uid } = metadata;
    await services.state.put('claim-of/test/sim:///zone-a/i-of-an-earlier-attempt', { name, uid });
    await api.delete(nodeResource, { name: 'old' }, {});
    const deleting = (await nodes()).find((node) => node.metadata.name === 'old');
    expect(await deliver(nodeEvent(deleting!))).toBe('done');
    await settle(2);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect((await claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
    await patchNode('old', { metadata: { finalizers: [] } });
  });

  it('takes its claim with it when the index has long forgotten whose it is', async () => {
    const { createClaim, settle, claim, nodes, api, deliver, nodeEvent, cloud, clock } = await open();
    await createClaim('one', oneType);
    await settle();
    clock.advance(20 * 24 * 3600_000);
    const [node] = await nodes();
    await api.delete(nodeResource, { name: node!.metadata.name }, {});
    const [deleting] = await nodes();
    await deliver(nodeEvent(deleting!));
    await settle();
    expect(await claim('one')).toBeUndefined();
    expect(cloud.living).toBe(0);
  });

  it('because its machine is gone leaves the claim to be given a new one', async () => {
    const { createClaim, settle, claim, nodes, api, deliver, nodeEvent, cloud, collectGarbage, clock } = await open({
      cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'vanish', afterSeconds: 100 } }], nodeLostSeconds: 5 },
    });
    await createClaim('one', oneType);
    await settle();
    clock.advance(200_000);
    await cloud.settle();
    const [node] = await nodes();
    // This is what a cloud controller does when it can't find a Node's machine.
    await api.delete(nodeResource, { name: node!.metadata.name }, {});
    const [deleting] = await nodes();
    expect(await deliver(nodeEvent(deleting!))).toBe('done');
    for (let reading = 0; reading < 2; reading++) {
      await collectGarbage();
      clock.advance(61_000);
    }
    await settle();
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect(cloud.living).toBe(1);
    const names = (await nodes()).map(({ metadata }) => metadata.name);
    expect(names).toEqual([(await claim('one'))?.status?.nodeName]);
  });
});
