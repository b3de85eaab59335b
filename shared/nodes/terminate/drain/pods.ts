/** What a pod means to a drain: whether it holds the node, whether it may be evicted, and in which group it goes. Pure. */
import type { V1Pod } from '@kubernetes/client-node';
import { parseDuration } from '../../../base/durations.ts';
import type { Stored } from '../../../kube/stored.ts';
import { disruptedTaint, tolerates } from '../../claims/spec/taints.ts';
import { annotations } from '../../claims/spec/well-known.ts';

/** The drain relies on no part of its spec. */
export type Pod = Stored<V1Pod, 'spec'>;

/** A pod that is still there so long after its time was up has a kubelet that no longer answers. */
const stuckMs = 60_000;
/** What the API server fills in when a pod says nothing. */
const defaultGraceSeconds = 30;

export const podName = ({ metadata }: Pod): string => `${metadata.namespace ?? 'default'}/${metadata.name}`;

export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** When a pod that is leaving no longer counts. Its deletionTimestamp already has its grace in it. */
export const stuckAt = ({ metadata }: Pod): number =>
  metadata.deletionTimestamp === undefined
    ? Number.POSITIVE_INFINITY
    : Date.parse(metadata.deletionTimestamp) + stuckMs;

export const graceMs = ({ spec }: Pod): number => (spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000;

/** Who tolerates the taint means to stay to the end; a static pod can't be evicted, only its node can be switched off. */
export function isDrainable(pod: Pod, now: number): boolean {
  if (isStatic(pod)) return false;
  if (pod.spec?.tolerations?.some((toleration) => tolerates(toleration, disruptedTaint))) return false;
  return now < stuckAt(pod);
}

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether the drain waits for this pod. One that has ended runs nothing, though its volumes may still be attached. */
export const holdsNode = (pod: Pod, now: number): boolean => !hasEnded(pod) && isDrainable(pod, now);

const isStatic = ({ metadata }: Pod): boolean =>
  metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined ||
  (metadata.ownerReferences?.some(({ kind }) => kind === 'Node') ?? false);

const isDaemon = ({ metadata }: Pod): boolean =>
  metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') ?? false;

/**
 * Whether nobody would miss the Node object if it went before its machine. Kubernetes deletes the pods of a Node that is gone, whether they
 * still run or not; so of those that stay to the end only what belongs to the machine itself is no reason to keep the Node.
 */
export const isIdle = (pods: readonly Pod[], now: number): boolean =>
  pods.every((pod) => hasEnded(pod) || isStatic(pod) || (isDaemon(pod) && !isLeaving(pod) && !holdsNode(pod, now)));

/**
 * Until when the pod asks not to be disrupted: for ever (`"true"`) or for a time since it started (`"45m"`). The drain waits
 * for such a pod to end by itself. Undefined: it asks for nothing, or no longer.
 */
export function protectedUntil(pod: Pod, now: number): number | undefined {
  const text = pod.metadata.annotations?.[annotations.doNotDisrupt];
  if (text === undefined) return undefined;
  if (text === 'true') return Number.POSITIVE_INFINITY;
  const duration = parseDuration(text);
  if (!duration.ok || duration.milliseconds === 0) return undefined;
  const end = Date.parse(pod.status?.startTime ?? pod.metadata.creationTimestamp) + duration.milliseconds;
  return end > now ? end : undefined;
}

/** Karpenter's order: what is not critical first, and daemons after the rest, because the rest may need them. */
export function groupOf(pod: Pod): 0 | 1 | 2 | 3 {
  const daemon = isDaemon(pod);
  const priority = pod.spec?.priorityClassName;
  const critical = priority === 'system-cluster-critical' || priority === 'system-node-critical';
  if (critical) return daemon ? 3 : 2;
  return daemon ? 1 : 0;
}
