/**
 * Stand-ins for what a bare API server lacks and tests of draining need: the kubelet's part in the end of a pod, the
 * controller that computes disruption budgets, and the one that detaches volumes. Each looks at one namespace again and
 * again; that is slower than a watch and can't miss anything.
 *
 * @example
 * const pod = await startPod(kube, { name: 'web-1', node: 'node-a', labels: { app: 'web' } });
 * const controllers = runControllers(kube, { namespace: 'default' });
 * onTestFinished(() => controllers.stop());
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../shared/base/json.ts';
import type { KubeCluster } from './cluster.ts';

export interface PodOptions {
  name: string;
  node: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Merged over the spec, such as `terminationGracePeriodSeconds` (0 unless given), `tolerations` or `volumes`. */
  spec?: { [field: string]: Json };
  metadata?: { [field: string]: Json };
  /** False leaves it Running and not Ready. */
  ready?: boolean;
}

interface Pod {
  metadata: {
    name: string;
    uid: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    finalizers?: string[];
  };
  spec: { nodeName?: string; volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

interface Budget {
  metadata: { name: string; generation: number };
  spec: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: { matchLabels?: Record<string, string> };
  };
  status?: { [field: string]: Json };
}

const mergePatch = 'application/merge-patch+json';
const lookMs = 50;

/** A pod that is bound to its node and runs. */
export async function startPod(kube: KubeCluster, options: PodOptions): Promise<{ uid: string }> {
  const { name, node, namespace = 'default', labels = {}, annotations = {} } = options;
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const made = await kube.request('POST', path, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, annotations, ...options.metadata },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'none' }],
      ...options.spec,
    },
  });
  if (made.code !== 201) throw new Error(`the pod ${name} was refused: ${JSON.stringify(made.body)}`);
  const ready = { type: 'Ready', status: options.ready === false ? 'False' : 'True' };
  const status = { phase: 'Running', conditions: [ready] };
  await kube.request('PATCH', `${path}/${name}/status`, { status }, mergePatch);
  return { uid: made.body.metadata.uid };
}

export interface Controllers {
  stop(): Promise<void>;
}

export function runControllers(
  kube: KubeCluster,
  options: {
    namespace?: string /** Pods of these nodes never end: their kubelet is gone. */;
    deadNodes?: string[];
  } = {},
): Controllers {
  const { namespace = 'default', deadNodes = [] } = options;
  const abort = new AbortController();
  const running = (async () => {
    while (!abort.signal.aborted) {
      await endPods(kube, namespace, deadNodes);
      await syncBudgets(kube, namespace);
      await detachVolumes(kube, namespace);
      await pause(lookMs, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}

/** Once: what kubelets do with pods whose grace is over. */
export async function endPods(kube: KubeCluster, namespace: string, deadNodes: string[] = []): Promise<void> {
  for (const { metadata, spec } of await list<Pod>(kube, `/api/v1/namespaces/${namespace}/pods`)) {
    const { deletionTimestamp, uid, name } = metadata;
    if (deletionTimestamp === undefined || Date.parse(deletionTimestamp) > Date.now()) continue;
    if (deadNodes.includes(spec.nodeName ?? '')) continue;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await kube.request('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, options);
  }
}

/** Once: the status of every budget, from the pods that it selects now. */
export async function syncBudgets(kube: KubeCluster, namespace: string): Promise<void> {
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const all = await list<Budget>(kube, budgets);
  if (all.length === 0) return;
  const pods = await list<Pod>(kube, `/api/v1/namespaces/${namespace}/pods`);
  for (const budget of all) {
    const status = budgetStatus(budget, pods);
    const before = budget.status ?? {};
    if (Object.entries(status).every(([field, value]) => before[field] === value)) continue;
    await kube.request(
      'PATCH',
      `${budgets}/${budget.metadata.name}/status`,
      { status: { ...status, disruptedPods: null } },
      mergePatch,
    );
  }
}

function budgetStatus({ metadata, spec }: Budget, pods: Pod[]): { [field: string]: number } {
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  const covered = pods.filter(
    (pod) =>
      wanted.every(([key, value]) => pod.metadata.labels?.[key] === value) &&
      !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''),
  );
  const isHealthy = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp === undefined &&
    (pod.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
  const expectedPods = covered.length;
  const currentHealthy = covered.filter(isHealthy).length;
  const desiredHealthy =
    spec.minAvailable === undefined
      ? Math.max(0, expectedPods - amount(spec.maxUnavailable ?? 0, expectedPods))
      : amount(spec.minAvailable, expectedPods);
  return {
    observedGeneration: metadata.generation,
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
  };
}

/** Percentages are rounded up. */
const amount = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseFloat(value) / 100) * of);

/** Once: removes attachments whose node has no pod left with a volume. */
export async function detachVolumes(kube: KubeCluster, namespace: string): Promise<void> {
  const path = '/apis/storage.k8s.io/v1/volumeattachments';
  const attachments = await list<{ metadata: { name: string }; spec: { nodeName: string } }>(kube, path);
  if (attachments.length === 0) return;
  const pods = await list<Pod>(kube, `/api/v1/namespaces/${namespace}/pods`);
  const inUse = new Set(
    pods
      .filter(({ spec }) => spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined))
      .map(({ spec }) => spec.nodeName),
  );
  for (const { metadata, spec } of attachments) {
    if (!inUse.has(spec.nodeName)) await kube.request('DELETE', `${path}/${metadata.name}`);
  }
}

async function list<T>(kube: KubeCluster, path: string): Promise<T[]> {
  const { code, body } = await kube.request('GET', path);
  if (code !== 200) throw new Error(`${path}: ${code} ${JSON.stringify(body)}`);
  return body.items;
}
