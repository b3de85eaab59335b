/** Events about requests for clusters: hints to look at a request now instead of at its next time. */
import type { DataOf } from '../../events/catalog.ts';
import { wakeRequest } from '../../shared/clusters/ensure.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import type { FunctionServices } from '../declaration.ts';

const lookAgainSeconds = 2;

export async function clusterRequestChanged(
  { requests }: FunctionServices,
  { cluster, namespace, name, uid }: DataOf<'dev.poolwright.cluster-request.changed.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  // Made where this deployment carries out none: they are left alone.
  if (requests?.place(cluster) === undefined) return 'done';
  const woken = await wakeRequest(requests, { cluster, namespace, name, uid }, signal);
  if (woken.ok) return 'done';
  const { message, retryAfterSeconds = lookAgainSeconds } = woken.error;
  return { retryAfterSeconds, reason: message };
}
