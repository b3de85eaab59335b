/**
 * What a list of the cloud shows of the machine of a living claim, where no message tells it: somebody stopped or changed it, it is
 * broken, or its time is almost up. The claim says so at once; it ends when that is seen twice, because a machine that is stopped
 * may be on its way back.
 */
import { type ConditionChange, findCondition, setCondition } from '../../kube/conditions.ts';
import { nodeClaims } from '../../kube/contract.ts';
import type { Instance, Provider } from '../../providers/contract.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import { forgetSeen, seenTwice } from '../../state/two-readings.ts';
import { changedByHand, conditionTypes, instanceEnding } from '../claims/spec/well-known.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { refOf } from '../steps/ref.ts';
import { type ClusterServices, type LifecycleServices, logFor } from '../steps/services.ts';
import { endClaim } from './interruption/end-claim.ts';

export async function followMachine(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  claim: StoredClaim,
  instance: Instance,
  signal: AbortSignal,
): Promise<void> {
  const { providerID } = claim.status ?? {};
  if (claim.metadata.deletionTimestamp !== undefined || !isSameMachine(cluster, providerID, instance.providerID))
    return;
  const said = findCondition(claim.status?.conditions, conditionTypes.instanceChanged);
  const { ending, changed } = instance;
  if (ending === undefined && changed === undefined && said === undefined) return;
  const written = await say(services, cluster, claim, instance, signal);
  const what = `ending/${cluster.name}/${instance.id}`;
  if (ending === undefined) {
    if (said?.reason === instanceEnding) await forgetSeen(services, what);
    return;
  }
  if (!(await seenTwice(services, what, cluster.garbageCollection.graceSeconds))) return;
  if (!(await services.ownership.standing(cluster.name)).acts) return;
  const ended = await endClaim(services, { cluster, provider, claim: written }, ending, signal);
  if (!ended.ok) {
    const problem = ended.error.message;
    logFor(services, refOf(cluster.name, claim)).write('garbage.undecided', { instance: instance.id, problem });
  }
}

/** As it is afterwards. What can't be written, because somebody wrote in between, is written at the next look. */
async function say(
  services: LifecycleServices,
  { api }: ClusterServices,
  claim: StoredClaim,
  instance: Instance,
  signal: AbortSignal,
): Promise<StoredClaim> {
  const { name, uid, resourceVersion, generation } = claim.metadata;
  const before = claim.status?.conditions ?? [];
  const change = changeFor(instance);
  const after =
    change === undefined
      ? before.filter(({ type }) => type !== conditionTypes.instanceChanged)
      : setCondition(before, change, { now: services.clock.now(), generation });
  if (after === before || (change === undefined && after.length === before.length)) return claim;
  const status = { conditions: after.map((condition) => ({ ...condition })) };
  const written = await api.mergePatch<StoredClaim>(
    nodeClaims,
    { name },
    { metadata: { uid, resourceVersion }, status },
    { subresource: 'status' },
    signal,
  );
  return written.ok
    ? { ...claim, metadata: written.value.metadata, status: { ...claim.status, conditions: [...after] } }
    : claim;
}

function changeFor({ ending, changed }: Instance): ConditionChange | undefined {
  const type = conditionTypes.instanceChanged;
  if (ending !== undefined) return { type, status: 'True', reason: instanceEnding, message: ending.reason };
  if (changed === undefined) return undefined;
  return { type, status: 'True', reason: changedByHand, message: `the instance was changed in the cloud: ${changed}` };
}
