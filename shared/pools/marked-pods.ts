/** Pods that ask not to be disrupted: a node with such a pod would be drained for ever. */
import { parseDuration } from '../claims/durations.ts';
import { annotations } from '../claims/well-known.ts';
import { type KubeObject, pods } from '../cluster/contract.ts';
import { listAll } from '../cluster/list-all.ts';
import type { StoredClaim } from '../lifecycle/claim-access.ts';
import type { ClusterServices } from '../lifecycle/services.ts';

type StoredPod = KubeObject & { status?: { phase?: string; startTime?: string } };

/**
 * Whether a drifted node has to wait for one of its pods. With a termination grace period the drain ends in any case, so
 * nobody waits. An answer that is not clear protects the pods.
 */
export async function hasMarkedPod(
  { api }: ClusterServices,
  claim: StoredClaim,
  now: number,
  signal: AbortSignal,
): Promise<boolean> {
  const name = claim.status?.nodeName;
  if (!name || claim.spec.terminationGracePeriod !== undefined) return false;
  let found = false;
  const onItem = (pod: StoredPod): void => {
    if (isMarked(pod, now)) found = true;
  };
  const listed = await listAll<StoredPod>(api, pods, { fieldSelector: `spec.nodeName=${name}` }, { onItem }, signal);
  return found || !listed.ok;
}

/** `true`, or a duration from the start of the pod on. */
export function isMarked({ metadata, status }: StoredPod, now: number): boolean {
  const mark = metadata.annotations?.[annotations.doNotDisrupt];
  if (mark === undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  if (metadata.deletionTimestamp !== undefined) return false;
  if (mark === 'true') return true;
  const lasts = parseDuration(mark);
  const started = Date.parse(status?.startTime ?? metadata.creationTimestamp);
  return lasts.ok && lasts.milliseconds > 0 && now < started + lasts.milliseconds;
}
