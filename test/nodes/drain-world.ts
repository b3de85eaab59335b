/** A world with one Ready claim whose node can be given pods, budgets and volumes. */

import type { Json } from '../../shared/base/json.ts';
import {
  type ClusterApi,
  type KubeObject,
  podDisruptionBudgets,
  pods,
  volumeAttachments,
} from '../../shared/kube/contract.ts';
import type { Pod } from '../../shared/nodes/terminate/drain/pods.ts';
import { only } from './use-world.ts';
import type { TestWorld, TestWorldOptions } from './world.ts';

export type DrainWorld = TestWorld & { node: string };

const namespace = 'default';

export async function readyWorld(
  open: (options?: TestWorldOptions) => Promise<TestWorld>,
  claim: { [key: string]: Json } = {},
  options?: TestWorldOptions,
): Promise<DrainWorld> {
  const world = await open(options);
  await world.createClaim('one', { requirements: only(['general-small']), ...claim });
  await world.settle();
  const [node] = await world.nodes();
  return { ...world, node: node!.metadata.name };
}

type Wishes = { [key: string]: { [key: string]: Json } | string };

/** A running pod on the node; `phase` for another. */
export async function addPod(world: DrainWorld, name: string, wishes: Wishes = {}): Promise<void> {
  const { spec = {}, metadata = {}, phase = 'Running' } = wishes as { [key: string]: { [key: string]: Json } };
  const created = await world.api.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...metadata },
    spec: { nodeName: world.node, containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  if (!created.ok) throw new Error(created.error.message);
  const startTime = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const status = { phase, startTime, conditions: [{ type: 'Ready', status: 'True' }] };
  await world.api.mergePatch(pods, { name, namespace }, { status }, { subresource: 'status' });
}

export const podsOf = async ({ api }: TestWorld): Promise<Pod[]> => {
  const list = await api.list<Pod & KubeObject>(pods);
  return list.ok ? list.value.items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)) : [];
};

export const podNames = async (world: TestWorld): Promise<string[]> =>
  (await podsOf(world)).map(({ metadata }) => metadata.name);

/** The kubelet has ended it. */
export const endPod = ({ api }: TestWorld, name: string) =>
  api.delete(pods, { name, namespace }, { gracePeriodSeconds: 0 });

/** A budget for the pods with the label `app`, as its controller keeps it; again to change what it allows. */
export async function setBudget({ api }: TestWorld, name: string, app: string, allowed: number): Promise<void> {
  await api.create(podDisruptionBudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
  });
  const status = {
    disruptionsAllowed: allowed,
    observedGeneration: 1,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
  };
  await api.mergePatch(podDisruptionBudgets, { name, namespace }, { status }, { subresource: 'status' });
}

export async function attachVolume({ api }: TestWorld, volume: string, node: string): Promise<void> {
  const made = await api.create(volumeAttachments, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `va-${volume}` },
    spec: { attacher: 'csi.example.com', nodeName: node, source: { persistentVolumeName: volume } },
  });
  if (!made.ok) throw new Error(made.error.message);
}

export const detachVolume = ({ api }: TestWorld, volume: string) =>
  api.delete(volumeAttachments, { name: `va-${volume}` }, {});

/** Answers some requests in its own way; the rest goes to the cluster. */
export function interpose(world: TestWorld, methods: Partial<ClusterApi>): void {
  const { api } = world.clusterServices;
  Object.assign(world.clusterServices, { api: Object.assign(Object.create(api) as ClusterApi, methods) });
}

export const labeled = (app: string): { [key: string]: Json } => ({ labels: { app } });
export const daemon = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd-uid' }] };
export const critical = { priorityClassName: 'system-node-critical' };
