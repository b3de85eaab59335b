/** While a claim waits, its Launched condition says for what. Nothing is written when it says so already. */

import type { Provider } from '../../providers/contract.ts';
import { type AttemptRecord, phaseOf } from '../claims/attempt/attempt.ts';
import { nameOffering } from '../claims/choice/offerings.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { type ClaimChange, changeClaim, statusChange } from './claim-access.ts';
import { takesAlternatives } from './machine-labels.ts';
import { type ClaimRef, type ClusterServices, type LifecycleServices, logFor } from './services.ts';
import { statusPatch } from './status.ts';

export async function setWaitingCondition(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  reason: string,
  message: string,
  signal?: AbortSignal,
): Promise<void> {
  const said = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      const phase = read.found === 'claim' && !read.view.deleting ? phaseOf(read.view) : 'ready';
      // What is launched no longer waits for its launch.
      if (read.found !== 'claim' || phase === 'launched' || phase === 'ready')
        return { write: undefined, result: null };
      const change = { type: conditionTypes.launched, status: 'Unknown' as const, reason, message };
      const write = statusPatch(read.claim, services.clock.now(), [change]);
      return statusChange(write, null);
    },
    signal,
  );
  if (!said.ok) logFor(services, ref).write('claim.condition.unwritten', { reason, problem: said.failure.message });
}

/**
 * The machine is being created, and it takes a while. Not written in the usual quick case: it would be one write more for
 * every claim, and say for seconds what the next write says better.
 */
export const sayLaunching = (
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  provider: Provider,
  { attempt, offering }: AttemptRecord,
  signal?: AbortSignal,
): Promise<void> => {
  // Which one of many the cloud takes is told by the instance.
  const what = takesAlternatives(provider) ? `an instance, ${offering.capacityType},` : `${nameOffering(offering)},`;
  const message = `attempt ${attempt}: ${what} is being created`;
  return setWaitingCondition(services, cluster, ref, 'Launching', message, signal);
};
