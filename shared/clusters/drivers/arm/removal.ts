/**
 * Removing what is ours. A resource group goes only if nobody else's things are in it; what is to stay in Azure loses our marks, so that
 * nothing takes it for ours later.
 */
import { asObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import { type Manifest, placeAnnotations } from '../../manifests/manifest.ts';
import { requestUidIn, requestUidInTags } from '../../resolved/marks.ts';
import { ownTagNames } from '../../resolved/tags.ts';
import type { RemovedResult } from '../contract.ts';
import { faultFailure } from './calls.ts';
import { clusterType, identityType, type Target, taggedAt, targetOf } from './kinds.ts';
import { type ArmResource, faultIn, hasFailed, isDeleting, textIn } from './live.ts';
import { type Arm, read, whose } from './resources.ts';

const resourcesVersion = '2021-04-01';
const policyAnnotation = 'serviceoperator.azure.com/reconcile-policy';

/** Whether the manifest says that the thing stays. */
const stays = ({ metadata }: Manifest): boolean => (metadata.annotations?.[policyAnnotation] ?? 'manage') !== 'manage';

/** What is there and ours; undefined: nothing. */
async function ours(
  arm: Arm,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<{ target: Target; live: ArmResource } | undefined>> {
  const target = targetOf(arm.subscriptionId, manifest);
  if (target === undefined) return ok(undefined);
  // Without marks of its own there is nothing to take off.
  if (stays(manifest) && taggedAt[target.kind] !== 'top') return ok(undefined);
  const found = await read(arm, target, signal);
  if (!found.ok) return found;
  if (found.value.state === 'refused') return faultFailure(found.value.fault, target.id);
  if (found.value.state === 'absent') return ok(undefined);
  const { live } = found.value;
  const owner = await whose(arm, target, manifest, live, signal);
  if (!owner.ok) return owner;
  return ok(owner.value.ours ? { target, live } : undefined);
}

export async function remove(arm: Arm, manifest: Manifest, signal?: AbortSignal): Promise<Result<void>> {
  const found = await ours(arm, manifest, signal);
  if (!found.ok) return found;
  if (found.value === undefined || isDeleting(found.value.live)) return ok(undefined);
  const { target, live } = found.value;
  if (stays(manifest)) return await letGo(arm, target, live, signal);
  if (target.kind === 'ResourceGroup') {
    const others = await holdsOthers(arm, target, requestUidIn(manifest.metadata.labels), signal);
    if (!others.ok) return others;
    if (others.value) return await letGo(arm, target, live, signal);
  }
  const call = { verb: 'DELETE', path: target.id, apiVersion: target.apiVersion } as const;
  const answer = await arm.calls.call(call, signal);
  if (!answer.ok) return answer;
  return answer.value.state === 'refused' ? faultFailure(answer.value.fault, target.kind) : ok(undefined);
}

/** Our marks come off, and no other tag. */
async function letGo({ calls }: Arm, { id }: Target, live: ArmResource, signal?: AbortSignal): Promise<Result<void>> {
  const tags = Object.entries(asObject(live.tags) ?? {}).filter(([name]) => isOwnTag(name));
  if (tags.length === 0) return ok(undefined);
  const body = { operation: 'Delete', properties: { tags: Object.fromEntries(tags) } };
  const path = `${id}/providers/Microsoft.Resources/tags/default`;
  const answer = await calls.call({ verb: 'PATCH', path, apiVersion: resourcesVersion, body }, signal);
  if (!answer.ok) return answer;
  return answer.value.state === 'refused' ? faultFailure(answer.value.fault, `tags of ${id}`) : ok(undefined);
}

export const isOwnTag = (name: string): boolean => ownTagNames.includes(name) || /^poolwright-record-\d+$/.test(name);

/**
 * Everything in the group that is not ours, hidden things of Azure included: it would go with the group. A policy of Azure may give the
 * tags of a group to everything in it, so what we never make is not ours, whatever its tags say.
 */
async function holdsOthers(
  { calls }: Arm,
  { id }: Target,
  uid: string | undefined,
  signal?: AbortSignal,
): Promise<Result<boolean>> {
  const listed = await calls.list(`${id}/resources`, resourcesVersion, undefined, signal);
  if (!listed.ok) return listed;
  return ok(
    listed.value.some((one) => !isTypeOfOurs(textIn(one, 'type')) || requestUidInTags(asObject(one.tags)) !== uid),
  );
}

const isTypeOfOurs = (type = ''): boolean =>
  [clusterType, identityType].some((one) => one.toLowerCase() === type.toLowerCase());

export async function lookRemoved(arm: Arm, manifest: Manifest, signal?: AbortSignal): Promise<Result<RemovedResult>> {
  const found = await ours(arm, manifest, signal);
  if (!found.ok) return found;
  if (found.value === undefined) return ok({ state: 'gone' });
  const { live, target } = found.value;
  const waitingFor = `${target.kind} ${manifest.metadata.name} to be gone`;
  // A delete that has failed leaves it as failed.
  if (hasFailed(live) && textIn(live, 'id') !== undefined) {
    return ok({ state: 'pending', waitingFor, fault: faultIn(live) });
  }
  return ok({ state: 'pending', waitingFor });
}

/** Where its annotations say that it is; for what is found by its tags. */
export const placeOf = (resourceGroup: string, cluster: string): Record<string, string> => ({
  [placeAnnotations.resourceGroup]: resourceGroup,
  [placeAnnotations.cluster]: cluster,
});
