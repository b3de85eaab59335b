/** Drain on a real API server: its evictions, budgets, graces, finalizers and volume attachments. No kubelet ends pods here. */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import {
  events,
  type KubeObject,
  nodeClaims,
  nodes,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Resource,
  volumeAttachments,
} from '../../shared/kube/contract.ts';
import type { Pod } from '../../shared/nodes/terminate/drain/pods.ts';
import { type HostWorld, isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();
const namespace = 'default';
type Fields = { [key: string]: Json };

interface Drained extends HostWorld {
  claimName: string;
  node: string;
}

/** A running host, and a Ready claim with its node. */
async function ready(claimName: string, spec: Fields = {}): Promise<Drained> {
  const world = await startHostWorld(kube());
  await world.startHost();
  await world.createClaim(claimName, spec);
  await world.until(async () => isTrue(await world.claim(claimName), 'Ready'));
  const node = (await world.claim(claimName))?.status?.nodeName ?? '';
  return { ...world, claimName, node };
}

async function make({ api }: HostWorld, resource: Resource, object: Fields, status?: Fields): Promise<void> {
  const { group, version, kind } = resource;
  const made = await api.create(resource, { apiVersion: group ? `${group}/${version}` : version, kind, ...object });
  if (!made.ok) throw new Error(made.error.message);
  if (!status) return;
  const { name, namespace: within } = made.value.metadata;
  const ref = { name, ...(within ? { namespace: within } : {}) };
  const said = await api.mergePatch(resource, ref, { status }, { subresource: 'status' });
  if (!said.ok) throw new Error(said.error.message);
}

const addPod = (world: Drained, name: string, { metadata = {}, spec = {} }: { [key: string]: Fields } = {}) =>
  make(
    world,
    pods,
    {
      metadata: { name, namespace, ...metadata },
      spec: { nodeName: world.node, containers: [{ name: 'c', image: 'i' }], ...spec },
    },
    { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  );

const podNamed = async ({ api }: HostWorld, name: string): Promise<Pod | undefined> => {
  const got = await api.get<Pod>(pods, { name, namespace });
  return got.ok ? got.value : undefined;
};
const isLeaving = async (world: HostWorld, name: string): Promise<boolean> =>
  (await podNamed(world, name))?.metadata.deletionTimestamp !== undefined;
/** As its kubelet would. */
const endPod = ({ api }: HostWorld, name: string) => api.delete(pods, { name, namespace }, { gracePeriodSeconds: 0 });

const addBudget = (world: HostWorld, name: string, app: string, disruptionsAllowed: number) =>
  make(
    world,
    podDisruptionBudgets,
    { metadata: { name, namespace }, spec: { minAvailable: 1, selector: { matchLabels: { app } } } },
    { disruptionsAllowed, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  );

const remove = ({ api, claimName }: Drained) => api.delete(nodeClaims, { name: claimName }, {});

async function untilGone(world: Drained): Promise<void> {
  await world.until(async () => (await world.claim(world.claimName)) === undefined);
  expect(world.cloud.living).toBe(0);
  expect(await world.nodes()).toEqual([]);
}

const messageOf = async (world: Drained, type: string): Promise<string> =>
  (await world.claim(world.claimName))?.status?.conditions?.find((one) => one.type === type)?.message ?? '';

async function reasonsOf({ api, claimName }: Drained): Promise<string[]> {
  const listed = await api.list<KubeObject & { reason: string; involvedObject: { name: string } }>(events);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.items.filter((one) => one.involvedObject.name === claimName).map(({ reason }) => reason);
}

it('evicts group by group, each after the one before has ended within its grace', async () => {
  const world = await ready('order');
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd-uid' };
  await addPod(world, 'order-plain');
  await addPod(world, 'order-daemon', { metadata: { ownerReferences: [owner] } });
  await addPod(world, 'order-stays', { spec: { tolerations: [{ operator: 'Exists' }] } });
  await remove(world);
  await world.until(() => isLeaving(world, 'order-plain'));
  const [node] = await world.nodes();
  expect(node?.spec?.taints).toMatchObject([{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }]);
  expect(node?.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers']).toBe('karpenter');
  expect(await isLeaving(world, 'order-daemon')).toBe(false);
  await endPod(world, 'order-plain');
  await world.until(() => isLeaving(world, 'order-daemon'));
  expect(world.cloud.living).toBe(1);
  await endPod(world, 'order-daemon');
  await untilGone(world);
  expect(await isLeaving(world, 'order-stays')).toBe(false);
  await endPod(world, 'order-stays');
});

it('names the budget that refuses and the budgets that overlap, and goes on when they let it', async () => {
  const world = await ready('budgets');
  const quick = { terminationGracePeriodSeconds: 0 };
  await addPod(world, 'web', { metadata: { labels: { app: 'web' } }, spec: quick });
  await addPod(world, 'twice', { metadata: { labels: { app: 'twice' } }, spec: quick });
  await addBudget(world, 'guard', 'web', 0);
  await addBudget(world, 'first', 'twice', 1);
  await addBudget(world, 'second', 'twice', 1);
  await remove(world);
  await world.until(async () => (await messageOf(world, 'Drained')) !== '');
  const message = await messageOf(world, 'Drained');
  expect(message).toContain(
    'default/web is protected by PodDisruptionBudget default/guard, which currently allows no disruption (it needs 1 healthy and has 1)',
  );
  expect(message).toContain('default/twice is selected by more than one PodDisruptionBudget');
  await world.until(async () => (await reasonsOf(world)).includes('Draining'));
  expect(await reasonsOf(world)).toEqual(expect.arrayContaining(['EvictionRefused', 'BudgetsOverlap', 'Draining']));
  expect(world.cloud.living).toBe(1);

  await world.api.delete(podDisruptionBudgets, { name: 'second', namespace }, {});
  const status = { disruptionsAllowed: 1 };
  await world.api.mergePatch(podDisruptionBudgets, { name: 'guard', namespace }, { status }, { subresource: 'status' });
  await untilGone(world);
});

it('deletes what is protected in time for the termination grace period, and then goes on without it', async () => {
  const world = await ready('grace', { terminationGracePeriod: '9s' });
  await addPod(world, 'job', {
    metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    spec: { terminationGracePeriodSeconds: 5 },
  });
  await remove(world);
  const deletedAt = Date.parse((await world.claim('grace'))?.metadata.deletionTimestamp ?? '');
  await world.until(() => isLeaving(world, 'job'));
  const leavesAt = Date.parse((await podNamed(world, 'job'))?.metadata.deletionTimestamp ?? '');
  // Times on objects have whole seconds, and a busy machine takes its own.
  expect(leavesAt).toBeGreaterThanOrEqual(deletedAt + 7_000);
  expect(leavesAt).toBeLessThanOrEqual(deletedAt + 12_000);
  await world.until(async () => {
    const claim = await world.claim('grace');
    return !claim || claim.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'] !== undefined;
  });
  await untilGone(world);
  expect(Date.now()).toBeGreaterThanOrEqual(deletedAt + 9_000);
  expect(await isLeaving(world, 'job')).toBe(true);
  expect(await reasonsOf(world)).toContain('TerminationGracePeriodElapsed');
  await endPod(world, 'job');
});

it('waits for the volumes of pods that go, not for those of pods that stay', async () => {
  const world = await ready('volumes');
  const attach = (volume: string) =>
    make(world, volumeAttachments, {
      metadata: { name: `va-${volume}` },
      spec: { attacher: 'csi.example.com', nodeName: world.node, source: { persistentVolumeName: volume } },
    });
  await make(world, persistentVolumeClaims, {
    metadata: { name: 'data', namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName: 'pv-stays',
    },
  });
  await addPod(world, 'agent', {
    spec: {
      tolerations: [{ operator: 'Exists' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  await attach('pv-stays');
  await attach('pv-goes');
  await remove(world);
  await world.until(async () => (await messageOf(world, 'VolumesDetached')) !== '');
  expect(await messageOf(world, 'VolumesDetached')).toContain(
    `1 volume still attached to node ${world.node}: pv-goes;`,
  );
  expect(isTrue(await world.claim('volumes'), 'Drained')).toBe(true);
  expect(world.cloud.living).toBe(1);
  await world.api.delete(volumeAttachments, { name: 'va-pv-goes' }, {});
  await untilGone(world);
  await world.api.delete(volumeAttachments, { name: 'va-pv-stays' }, {});
  await endPod(world, 'agent');
});

it('a Node that somebody deletes is drained, and goes with its claim and machine', async () => {
  const world = await ready('node');
  await addPod(world, 'web');
  await world.api.delete(nodes, { name: world.node }, {});
  expect((await world.nodes())[0]?.metadata.deletionTimestamp).toBeDefined();
  await world.until(() => isLeaving(world, 'web'));
  expect((await world.claim('node'))?.metadata.deletionTimestamp).toBeDefined();
  expect(world.cloud.living).toBe(1);
  await endPod(world, 'web');
  await untilGone(world);
});
