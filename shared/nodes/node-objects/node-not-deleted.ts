/** The machine is gone and its Node should be: what the API server refuses to let go is told, not only tried again. */
import type { Failure } from '../../base/result.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { setConditions } from '../steps/report/say.ts';
import { type Again, againAfter } from '../steps/retry-later.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../steps/services.ts';
import { isRefused, refusedSeconds } from '../steps/unwritten.ts';

const reason = 'NodeNotDeleted';
/** The node changed while it was taken away; the next look is at what it is now. */
const conflictSeconds = 0.2;

export async function nodeNotDeleted(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  node: string,
  failure: Failure,
  signal: AbortSignal,
): Promise<Again> {
  if (!isRefused(failure)) return againAfter(failure, failure.kind === 'conflict' ? conflictSeconds : undefined);
  const message = `the instance is gone, but node ${node} cannot be deleted: ${failure.message}`;
  const condition = { type: conditionTypes.instanceTerminating, status: 'True' as const, reason, message };
  await setConditions(services, cluster, ref, [condition], [{ type: 'Warning', reason, message }], signal);
  return { do: 'again', seconds: refusedSeconds, why: message };
}
