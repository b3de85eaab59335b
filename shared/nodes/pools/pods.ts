/** Pods on the nodes of a pool: those that ask not to be disrupted, and how many would have to move. */
import type { V1Pod } from '@kubernetes/client-node';
import { parseDuration } from '../../base/durations.ts';
import { inParallel } from '../../base/in-parallel.ts';
import { ok, type Result } from '../../base/result.ts';
import { pods } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import type { Stored } from '../../kube/stored.ts';
import { annotations } from '../claims/spec/well-known.ts';
import type { PoolClaim } from '../disruption/types.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import type { ClusterServices } from '../steps/services.ts';
import type { Observed } from './observe.ts';

type StoredPod = Stored<V1Pod>;
type OnNode = { marked: boolean; movable: number };

/**
 * Whether a drifted node has to wait for one of its pods: it would be drained for ever. With a termination grace period the
 * drain ends in any case, so nobody waits. An answer that is not clear protects the pods.
 */
export async function hasMarkedPod(
  cluster: ClusterServices,
  claim: StoredClaim,
  now: number,
  signal: AbortSignal,
): Promise<boolean> {
  const name = claim.status?.nodeName;
  if (!name || claim.spec.terminationGracePeriod !== undefined) return false;
  const found = await podsOn(cluster, name, now, signal);
  return !found.ok || found.value.marked;
}

/** More nodes than this are not looked into one by one: then the youngest go. */
const mostNodes = 100;
const width = 8;

/** For a scale-down, which is rare: the pods of every node that might go. */
export async function observePods(
  cluster: ClusterServices,
  claims: readonly PoolClaim[],
  { stored }: Observed,
  now: number,
  signal: AbortSignal,
): Promise<PoolClaim[]> {
  const found = new Map<string, OnNode>();
  const looked = claims.filter(({ deleting, initialized }) => initialized && !deleting);
  if (looked.length <= mostNodes) {
    await inParallel(looked, width, async ({ name }) => {
      const answer = await podsOn(cluster, stored.get(name)?.status?.nodeName ?? '', now, signal);
      if (answer.ok) found.set(name, answer.value);
    });
  }
  return claims.map((claim) => {
    const on = found.get(claim.name);
    return on ? { ...claim, pods: on.movable, doNotDisrupt: claim.doNotDisrupt || on.marked } : claim;
  });
}

async function podsOn(
  { api }: ClusterServices,
  node: string,
  now: number,
  signal: AbortSignal,
): Promise<Result<OnNode>> {
  const found: OnNode = { marked: false, movable: 0 };
  const listed = await listAll<StoredPod>(
    api,
    pods,
    { fieldSelector: `spec.nodeName=${node}` },
    {
      onStart: () => Object.assign(found, { marked: false, movable: 0 }),
      onItem: (pod) => {
        if (isMarked(pod, now)) found.marked = true;
        if (hasToMove(pod)) found.movable++;
      },
    },
    signal,
  );
  return listed.ok ? ok(found) : listed;
}

const isOver = ({ status }: StoredPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Those of a DaemonSet and of the kubelet itself belong to the node. */
const hasToMove = (pod: StoredPod): boolean =>
  !isOver(pod) && !pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');

/** `true`, or a duration from the start of the pod on. */
export function isMarked(pod: StoredPod, now: number): boolean {
  const { metadata, status } = pod;
  const mark = metadata.annotations?.[annotations.doNotDisrupt];
  if (mark === undefined || isOver(pod) || metadata.deletionTimestamp !== undefined) return false;
  if (mark === 'true') return true;
  const lasts = parseDuration(mark);
  const started = Date.parse(status?.startTime ?? metadata.creationTimestamp);
  return lasts.ok && lasts.milliseconds > 0 && now < started + lasts.milliseconds;
}
