/**
 * What the webhook saw is not stored yet: it may show a moment later, or never, because somebody else refused it. So it is
 * looked for again a few times. Meanwhile the event lies on the queue and keeps no worker busy.
 */

import { defined } from '../../shared/base/defined.ts';
import type { ClusterApi, KubeObject, Resource } from '../../shared/kube/contract.ts';
import type { Handled } from '../../shared/queue/contract.ts';

/** Other webhooks may take half a minute before the API server stores; the pauses double, so this is 32 seconds. */
const mostLooks = 8;
const firstPauseSeconds = 0.25;

/** Counted, not timed: the clocks of two machines may differ. After the last look the event is let go, and the resync decides. */
export const lookLater = (reason: string, receiveCount: number): Handled =>
  receiveCount < mostLooks ? { retryAfterSeconds: firstPauseSeconds, reason } : 'done';

interface Admitted {
  name: string;
  /** Of a kind that has namespaces. */
  namespace?: string;
  uid: string;
  generation?: number | undefined;
  deleting: boolean;
  observedBy: string;
}

/** When the webhook was ahead of the store: what becomes of its event. Undefined when there is nothing to wait for. */
export async function aheadOfStore(
  api: ClusterApi,
  resource: Resource,
  { name, namespace, uid, generation = 0, deleting, observedBy }: Admitted,
  receiveCount: number,
  signal: AbortSignal,
): Promise<Handled | undefined> {
  if (observedBy !== 'webhook') return undefined;
  const read = await api.get<KubeObject>(resource, { name, ...defined({ namespace }) }, signal);
  if (!read.ok) {
    if (read.error.kind !== 'not-found' || deleting) return undefined;
    return lookLater(`the ${resource.kind} is not stored yet`, receiveCount);
  }
  const { metadata } = read.value;
  if (metadata.uid !== uid) return undefined;
  if (deleting && metadata.deletionTimestamp === undefined) {
    return lookLater(`the ${resource.kind} is not marked as deleting yet`, receiveCount);
  }
  if (!deleting && (metadata.generation ?? 0) < generation) {
    return lookLater(`the change of the ${resource.kind} is not stored yet`, receiveCount);
  }
  return undefined;
}
