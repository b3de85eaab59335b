import { afterEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { zeroLatency } from '../../../sim/cloud/settings.ts';
import type { SimCloudOptions } from '../../../sim/cloud/start.ts';
import { type CloudUnderTest, owned, startCloud } from './client.ts';
import { FakeCluster } from './fake-cluster.ts';

const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

describe('kubelets of the simulated cloud', () => {
  let under: CloudUnderTest;
  let cluster: FakeCluster;
  const start = async (options: Omit<SimCloudOptions, 'clock'> = {}) => {
    cluster = new FakeCluster();
    const usual = {
      bootSeconds: 30,
      registerSeconds: 5,
      readySeconds: 10,
      startupTaintSeconds: 3,
      nodeLostSeconds: 40,
    };
    under = await startCloud({ ...usual, kubelet: cluster, ...options });
    return under;
  };
  const createOne = async (more: { [key: string]: Json } = {}) =>
    (await under.create({ taints: [unregistered], labels: { team: 'web' }, ...more })).body.id;
  afterEach(() => under.cloud.close());

  test('join the cluster some time after the boot, not Ready, with labels, taints and resources', async () => {
    const { advance } = await start();
    const id = await createOne({ instanceType: 'gpu-large', zone: 'zone-b' });
    await advance(34);
    expect(cluster.nodes.size).toBe(0);

    await advance(1);

    expect(cluster.node).toMatchObject({
      metadata: {
        name: id,
        labels: {
          team: 'web',
          'kubernetes.io/hostname': id,
          'node.kubernetes.io/instance-type': 'gpu-large',
          'topology.kubernetes.io/zone': 'zone-b',
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/os': 'linux',
        },
      },
      spec: { providerID: `sim:///zone-b/${id}` },
      status: { capacity: { cpu: '48', 'nvidia.com/gpu': '4' }, allocatable: { 'nvidia.com/gpu': '4' } },
    });
    expect(cluster.ready).toBe('False');
    expect(cluster.taints).toEqual(['karpenter.sh/unregistered', 'node.kubernetes.io/not-ready']);
  });

  test('get Ready a little later and lose the not-ready taint, and no other', async () => {
    const { advance } = await start();
    await createOne();
    await advance(35);
    await advance(10);

    expect(cluster.ready).toBe('True');
    expect(cluster.taints).toEqual(['karpenter.sh/unregistered']);
  });

  test('take one call to join when everything is to be there at once', async () => {
    const { cloud } = await start(zeroLatency);
    const id = await createOne();
    await cloud.settle();

    expect(cluster.ready).toBe('True');
    expect(cluster.calls).toEqual([`create ${id}`]);
  });

  test('report GPUs later where the device plugin takes its time', async () => {
    const { advance } = await start({ gpuSeconds: 20 });
    await createOne({ instanceType: 'gpu-small' });
    await advance(45);
    expect(cluster.node.status?.allocatable).not.toHaveProperty('nvidia.com/gpu');

    await advance(20);

    expect(cluster.node.status?.allocatable).toHaveProperty('nvidia.com/gpu', '1');
  });

  test('lose their startup taints to an agent once the Node belongs to its claim', async () => {
    const { advance } = await start();
    const startup = { key: 'example.com/cni', effect: 'NoSchedule' };
    const id = await createOne({ taints: [unregistered, { key: 'team', effect: 'NoSchedule' }, startup] });
    await advance(60);
    expect(cluster.taints).toEqual(['karpenter.sh/unregistered', 'team', 'example.com/cni']);

    cluster.claims.set('web', { spec: { startupTaints: [startup] } });
    await cluster.patchNode(id, { metadata: { ownerReferences: [{ kind: 'NodeClaim', name: 'web' }] } });
    await advance(1);

    expect(cluster.taints).toEqual(['karpenter.sh/unregistered', 'team']);
  });

  test('try again when the cluster does not answer, or somebody else changed the Node', async () => {
    const { advance } = await start();
    await createOne();
    cluster.outage.push({ answer: 'retry', message: 'no connection' });
    await advance(35);
    expect(cluster.nodes.size).toBe(0);
    await advance(1);
    expect(cluster.nodes.size).toBe(1);

    await advance(9);
    cluster.outage.push({ answer: 'conflict' });
    await advance(2);

    expect(cluster.ready).toBe('True');
    expect(cluster.taints).toEqual(['karpenter.sh/unregistered']);
  });

  test('take the Node that is already theirs, and wait for one that is not', async () => {
    const { advance } = await start();
    const id = await createOne();
    await cluster.createNode({ metadata: { name: id }, spec: { providerID: 'other' } });
    await advance(36);
    expect(cluster.node.spec?.providerID).toBe('other');

    await cluster.patchNode(id, { spec: { providerID: `sim:///zone-a/${id}` } });
    await advance(1);
    await advance(10);

    expect(cluster.ready).toBe('True');
  });

  test('do not come back when somebody deleted their Node', async () => {
    const { advance } = await start();
    const id = await createOne();
    await advance(35);
    await cluster.deleteNode(id);
    await advance(100);

    expect(cluster.nodes.size).toBe(0);
  });

  test('come back when they are told to', async () => {
    const { advance } = await start({ rejoinDeletedNodes: true });
    const id = await createOne();
    await advance(35);
    await cluster.deleteNode(id);
    await advance(10);

    expect(cluster.nodes.size).toBe(1);
  });

  test.each([
    ['never-registers', 0, undefined],
    ['never-ready', 1, 'False'],
  ] as const)('can be made to fail: %s', async (kind, nodes, ready) => {
    const { advance } = await start({ faults: [{ on: 'create', do: { kind } }] });
    await createOne();
    await advance(10_000);

    expect(cluster.nodes.size).toBe(nodes);
    expect(cluster.ready).toBe(ready);
  });

  test('do not join when the instance is deleted before', async () => {
    const { advance, ask } = await start({ deleteSeconds: 100 });
    const id = await createOne();
    await advance(31);
    await ask('DELETE', `/instances/${id}`);
    await advance(60);

    expect(cluster.nodes.size).toBe(0);
  });

  test('leave a Node that turns Unknown, and stays unless a cloud controller deletes it', async () => {
    const { advance, ask } = await start();
    const id = await createOne();
    await advance(45);
    await ask('POST', `/instances/${id}/vanish`);
    await advance(39);
    expect(cluster.ready).toBe('True');

    await advance(1);

    expect(cluster.ready).toBe('Unknown');
    await advance(10_000);
    expect(cluster.nodes.size).toBe(1);
  });

  test('leave a Node that a cloud controller deletes where there is one', async () => {
    const { advance, ask } = await start({ cloudControllerSeconds: 60 });
    const id = await createOne();
    await advance(45);
    await ask('POST', `/instances/${id}/vanish`);
    await advance(40);
    expect(cluster.ready).toBe('Unknown');
    await advance(20);

    expect(cluster.nodes.size).toBe(0);
  });

  test('come up by themselves where the clock runs by itself', async () => {
    cluster = new FakeCluster();
    const joined = Promise.withResolvers<void>();
    const patchNode = cluster.patchNode.bind(cluster);
    cluster.patchNode = async (...patch) => {
      const answer = await patchNode(...patch);
      if (cluster.ready === 'True') joined.resolve();
      return answer;
    };
    const timing = { bootSeconds: 0.01, registerSeconds: 0.01, readySeconds: 0.01 };
    under = await startCloud({ ...timing, kubelet: cluster, clock: systemClock, wakeByItself: true });

    await createOne();
    await joined.promise;

    expect(under.cloud.ledger()[0]?.runningAt).not.toBeNull();
  });

  test('talk to the cluster a few at a time', async () => {
    const { cloud, create } = await start({
      bootSeconds: 0,
      registerSeconds: 0,
      readySeconds: 0,
      kubeletConcurrency: 3,
    });
    const gate = Promise.withResolvers<void>();
    const createNode = cluster.createNode.bind(cluster);
    let running = 0;
    cluster.createNode = async (node) => {
      running++;
      await gate.promise;
      return createNode(node);
    };

    await Promise.all(
      Array.from({ length: 20 }, (_, index) => create({ token: `t${index}`, tags: owned(`u${index}`) })),
    );
    expect(running).toBe(3);
    gate.resolve();
    await cloud.settle();

    expect(cluster.nodes.size).toBe(20);
  });
});
