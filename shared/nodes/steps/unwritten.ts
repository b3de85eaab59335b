/**
 * A claim that can't be written to. Usually the API server is away and "later" is all there is to say; but where it
 * refuses the write as such (an admission policy, a stored object that its own schema no longer allows) the claim can't
 * say so itself, and an Event does.
 */
import type { Failure } from '../../base/result.ts';
import type { StoredClaim } from './claim-access.ts';
import { refOf } from './ref.ts';
import { emitEvent } from './report/claim-events.ts';
import { decisionText } from './report/decision-catalog.ts';
import { recordDecision } from './report/decision-log.ts';
import { type Again, againAfter } from './retry-later.ts';
import { type ClusterServices, type LifecycleServices, logFor } from './services.ts';

/** Somebody has to change something first; asking every two seconds would only fill the Event's counter. */
export const refusedSeconds = 60;

/** Trying again changes nothing. */
export const isRefused = ({ kind }: Failure): boolean => kind === 'invalid' || kind === 'unauthorised';

export async function unwritten(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  failure: Failure,
): Promise<Again> {
  if (!isRefused(failure)) return againAfter(failure);
  const ref = refOf(cluster.name, claim);
  const refused = { message: failure.message };
  const message = decisionText('claim-not-writable', refused);
  await emitEvent(services, cluster, claim, 'Warning', 'ClaimNotWritable', message);
  await recordDecision(services, ref, 'claim-not-writable', refused);
  logFor(services, ref).write('claim.unwritable', { problem: failure.message });
  return { do: 'again', seconds: refusedSeconds, why: message };
}
