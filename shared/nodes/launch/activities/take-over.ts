/**
 * Taking over from a predecessor (rule 11): what another provisioner has made for a claim, such as an agent pool of
 * gpu-provisioner, becomes the claim's first attempt as it is. Nothing is changed at the cloud, so going back is simple.
 */

import type { Instance } from '../../../providers/contract.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { takeOver } from '../../claims/attempt/attempt.ts';
import { rememberClaim } from '../../node-objects/node-index.ts';
import type { Plan } from '../../steps/answers.ts';
import type { ClaimRead } from '../../steps/claim-access.ts';
import { deadlinesOf } from '../../steps/deadlines.ts';
import { type ClaimContext, currentLocation, findClaimContext, isAgain } from '../../steps/lookup.ts';
import { servedClaim } from '../../steps/provider-choice.ts';
import { emitEvent } from '../../steps/report/claim-events.ts';
import { decisionText } from '../../steps/report/decision-catalog.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { type Again, againAfter } from '../../steps/retry-later.ts';
import { type ClaimRef, type ClusterServices, type LifecycleServices, logFor } from '../../steps/services.ts';
import { leaveAlone } from '../../steps/taken-over.ts';
import { recordFound } from '../record-found.ts';

type Read = Extract<ClaimRead, { found: 'claim' }>;

const deletingSeconds = 5;

/** What the launch does next. Undefined: there is nothing to take over, and nothing that speaks against buying. */
export async function takeOverClaim(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  read: Read,
  context: ActivityContext,
): Promise<Plan | undefined> {
  const found = await lookEverywhere(services, cluster, ref, read, context.signal);
  if (found && 'do' in found) return found;
  if (!found) return read.view.launched ? await notTheirs(services, cluster, read) : undefined;
  const { place, instance } = found;
  const { name: provider } = place.provider;
  const { attempt } = instance.owner;
  const where = await currentLocation(place.provider);
  if (!where.ok) return againAfter(where.error);
  const at = where.value === undefined ? {} : { place: where.value };
  if (instance.state === 'deleting')
    return { do: 'again', seconds: deletingSeconds, why: 'the instance of another provisioner is being deleted' };

  const by = { services, cluster, provider: place.provider, ref, signal: context.signal };
  const taken = await recordFound(by, read.claim, instance, { rule: takeOver, at, first: read });
  if (!taken.ok) return againAfter(taken.failure);
  const { verdict } = taken.result;
  if (!verdict.ok) {
    if (verdict.why === 'foreign-instance') return await notTheirs(services, cluster, read);
    return { do: 'again', seconds: 0.2, why: `the claim changed while it was taken over: ${verdict.why}` };
  }
  const claim = taken.claim ?? read.claim;
  const fields = { instance: instance.id };
  logFor(services, ref, context.workflowId).write('claim.taken-over', { instance: instance.id, provider });
  await recordDecision(services, ref, 'taken-over', fields);
  await emitEvent(services, cluster, claim, 'Normal', 'TakenOver', decisionText('taken-over', fields));

  const { launched, ready, providerID } = read.view;
  if (launched && providerID) await rememberClaim(services, ref, providerID, ready ? { ready } : {});
  if (launched && ready) return { do: 'end', why: 'taken over' };
  if (launched) return { do: 'register', attempt, provider, providerID: providerID ?? instance.providerID };
  const { launchSeconds } = deadlinesOf(claim, undefined, place.provider);
  return { do: 'adopted', attempt, provider, instance, at: services.clock.now(), launchSeconds };
}

/** Several providers may serve the node class: the predecessor's machine is where it is found. */
async function lookEverywhere(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  { claim }: Read,
  signal: AbortSignal,
): Promise<{ place: ClaimContext; instance: Instance } | Again | undefined> {
  for (const { provider } of cluster.serving(servedClaim(claim))) {
    const place = await findClaimContext(services, ref, provider.name);
    if (isAgain(place)) return place;
    const found = await place.provider.find(place.claim, signal);
    if (!found.ok) return againAfter(found.error, 3);
    const instance = found.value.find(({ state }) => state !== 'deleting') ?? found.value[0];
    if (instance) return { place, instance };
  }
  return undefined;
}

async function notTheirs(services: LifecycleServices, cluster: ClusterServices, { claim }: Read): Promise<Plan> {
  await leaveAlone(services, cluster, claim);
  return { do: 'end', why: 'foreign-instance' };
}
