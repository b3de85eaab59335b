/** Nodes that join a real cluster, where kubelets and controllers write to them all the time. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type KubeObject, nodeClaims, nodes } from '../../shared/kube/contract.ts';
import type { Node, Taint } from '../../shared/nodes/claims/spec/types.ts';
import { nodePatch } from '../../shared/nodes/node-objects/node-patch.ts';
import { type HostWorld, isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();
const mergePatch = 'application/merge-patch+json';
const startup = { key: 'example.com/agent', value: 'starting', effect: 'NoSchedule' };
const lasting = { key: 'example.com/team', value: 'red', effect: 'NoExecute' };
const unregistered: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

const reasonOf = async (world: HostWorld, claim: string, type: string): Promise<string> => {
  const found = (await world.claim(claim))?.status?.conditions?.find((one) => one.type === type);
  return `${found?.status} ${found?.reason}`;
};

async function end(world: HostWorld, ...names: string[]): Promise<void> {
  for (const name of names) await world.api.delete(nodeClaims, { name }, {});
  for (const name of names) await world.until(async () => (await world.claim(name)) === undefined);
}

/** A kubelet that reports as fast as it can: every write gives the Node another resourceVersion. */
function beat(): { stop(): Promise<void> } {
  const abort = new AbortController();
  const running = (async () => {
    for (let count = 0; !abort.signal.aborted; count++) {
      const { body } = await kube().request('GET', '/api/v1/nodes');
      for (const { metadata } of body.items) {
        const conditions = [{ type: 'DiskPressure', status: 'False', reason: 'x', message: `${count}` }];
        const path = `/api/v1/nodes/${metadata.name}/status`;
        await kube().request('PATCH', path, { status: { conditions } }, 'application/strategic-merge-patch+json');
      }
      await pause(2);
    }
  })();
  return {
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}

describe('registration on a real API server', () => {
  it('gives a Node everything while its kubelet keeps writing, and waits for startup taints and late GPUs', async () => {
    const world = await startHostWorld(kube(), {
      cloud: { startupTaintSeconds: null, gpuSeconds: 1, readySeconds: 0.3 },
    });
    await world.startHost();
    const kubelet = beat();
    await world.createClaim(
      'gpu',
      { taints: [lasting], startupTaints: [startup], resources: { requests: { 'nvidia.com/gpu': '1' } } },
      { labels: { 'example.com/shelf': '7' }, annotations: { 'example.com/note': 'hello' } },
    );
    await world.until(async () => (await reasonOf(world, 'gpu', 'Initialized')) === 'Unknown StartupTaintsExist');
    const [node] = await world.nodes();
    const { uid } = (await world.claim('gpu'))?.metadata ?? {};
    expect(node?.metadata).toMatchObject({
      labels: {
        'example.com/shelf': '7',
        'karpenter.sh/registered': 'true',
        'karpenter.sh/capacity-type': 'on-demand',
      },
      annotations: { 'example.com/note': 'hello' },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [{ kind: 'NodeClaim', name: 'gpu', uid, blockOwnerDeletion: true }],
    });
    const keys = node?.spec?.taints?.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining([startup.key, lasting.key]));
    expect(keys).not.toContain(unregistered.key);

    const left = node?.spec?.taints?.filter(({ key }) => key !== startup.key).map((taint) => ({ ...taint })) ?? [];
    await kube().request('PATCH', `/api/v1/nodes/${node?.metadata.name}`, { spec: { taints: left } }, mergePatch);
    await world.until(async () => isTrue(await world.claim('gpu'), 'Ready'));
    await kubelet.stop();
    const [ready] = await world.nodes();
    expect(ready?.metadata.labels?.['karpenter.sh/initialized']).toBe('true');
    expect(ready?.spec?.taints).toEqual([lasting]);
    for (const condition of (await world.claim('gpu'))?.status?.conditions ?? []) {
      expect(condition.observedGeneration, condition.type).toBe(1);
    }
    await end(world, 'gpu');
  });

  it('waits while a readiness.k8s.io taint is on, and while two Nodes say they are one machine', async () => {
    const world = await startHostWorld(kube(), { cloud: { readySeconds: 0.5 } });
    await world.startHost();
    await world.createClaim('twin');
    await world.until(async () => (await world.nodes()).length === 1);
    const [node] = await world.nodes();
    const { name } = node?.metadata ?? {};
    const gate = { key: 'readiness.k8s.io/storage', effect: 'NoSchedule' };
    const append = [{ op: 'add', path: '/spec/taints/-', value: gate }];
    const gated = await kube().request('PATCH', `/api/v1/nodes/${name}`, append, 'application/json-patch+json');
    const whole = { spec: { taints: [gate] } };
    if (gated.code !== 200) await kube().request('PATCH', `/api/v1/nodes/${name}`, whole, mergePatch);
    await world.until(
      async () => (await reasonOf(world, 'twin', 'Initialized')) === 'Unknown KnownEphemeralTaintsExist',
    );

    const providerID = node?.spec?.providerID ?? '';
    const impostor = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'impostor' }, spec: { providerID } };
    await world.api.create(nodes, impostor);
    await world.until(async () => (await reasonOf(world, 'twin', 'Initialized')) === 'Unknown MultipleNodesFound');
    expect(await reasonOf(world, 'twin', 'Registered')).toBe('True Registered');
    await world.api.delete(nodes, { name: 'impostor' }, {});
    await kube().request('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } }, mergePatch);
    await world.until(async () => isTrue(await world.claim('twin'), 'Ready'));
    await end(world, 'twin');
  });

  it('gives the Node of a Ready claim everything again when its kubelet has made it anew', async () => {
    const world = await startHostWorld(kube());
    await world.startHost();
    await world.createClaim('anew');
    await world.until(async () => isTrue(await world.claim('anew'), 'Ready'));
    const before = await world.claim('anew');
    const [node] = await world.nodes();
    const { name } = node?.metadata ?? { name: '' };
    // Both at once, so that the host does not see a Node that is being deleted, which would mean the end of its claim.
    await kube().request('PATCH', `/api/v1/nodes/${name}`, { metadata: { finalizers: null } }, mergePatch);
    await world.api.delete(nodes, { name }, {});
    const fresh = await world.api.create<Node & KubeObject>(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: { providerID: node?.spec?.providerID ?? '', taints: [{ ...unregistered }] },
    });
    expect(fresh.ok).toBe(true);
    await world.until(async () => (await world.nodes())[0]?.metadata.labels?.['karpenter.sh/registered'] === 'true');
    const [after] = await world.nodes();
    expect(after?.metadata.uid).not.toBe(node?.metadata.uid);
    expect(after?.metadata.finalizers).toEqual(['karpenter.sh/termination']);
    expect(after?.metadata.ownerReferences).toMatchObject([{ uid: before?.metadata.uid }]);
    expect(after?.spec?.taints?.map(({ key }) => key) ?? []).not.toContain(unregistered.key);
    expect((await world.claim('anew'))?.status).toEqual(before?.status);
    await end(world, 'anew');
  });
});

it('a patch of a Node holds on the real server only while what it relies on is as it was', async () => {
  const api = kube().connect();
  const made = await api.create<Node & KubeObject>(nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'bare' },
    spec: { providerID: 'sim:///zone-a/bare', taints: [{ ...unregistered }] },
  });
  if (!made.ok) throw new Error(made.error.message);
  const wanted = {
    labels: { 'example.com/a': 'x' },
    annotations: { 'example.com/note': 'y' },
    finalizer: 'karpenter.sh/termination',
    owner: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'n', uid: 'u' },
    taints: (made.value.spec?.taints ?? []).filter(({ key }) => key !== unregistered.key),
  };
  const patch = nodePatch(made.value, wanted);
  // There were no labels at all; now there are, and adding ours as the whole map would take theirs away.
  await kube().request('PATCH', '/api/v1/nodes/bare', { metadata: { labels: { other: 'z' } } }, mergePatch);
  const late = await api.jsonPatch<Node & KubeObject>(nodes, { name: 'bare' }, patch ?? []);
  expect(made.value.metadata.labels).toBeUndefined();
  expect(late).toMatchObject({ ok: false, error: { kind: 'conflict' } });
  const read = await api.get<Node & KubeObject>(nodes, { name: 'bare' });
  if (!read.ok) throw new Error(read.error.message);
  const again = nodePatch(read.value, wanted);
  const patched = await api.jsonPatch<Node & KubeObject>(nodes, { name: 'bare' }, again ?? []);
  if (!patched.ok) throw new Error(patched.error.message);
  expect(nodePatch(patched.value, wanted)).toBeUndefined();
  expect(patched.value.metadata.labels).toMatchObject({ 'example.com/a': 'x', other: 'z' });
  // The same once more: the taint is gone and the finalizer is there, so it can't do harm twice.
  expect(await api.jsonPatch(nodes, { name: 'bare' }, again ?? [])).toMatchObject({ error: { kind: 'conflict' } });
  await kube().request('PATCH', '/api/v1/nodes/bare', { metadata: { finalizers: null } }, mergePatch);
  await api.delete(nodes, { name: 'bare' }, {});
  api.close();
});
