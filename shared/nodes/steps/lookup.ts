/**
 * Where a claim's cluster and provider are found; a missing one is a fault of the configuration, said as such. In a
 * cluster that somebody else owns every step waits: this is the one place that sees to it.
 */

import { defined } from '../../base/defined.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ClaimKey, InstanceTags, Provider } from '../../providers/contract.ts';
import { type AttemptRecord, isElsewhere } from '../claims/attempt/attempt.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { claimKeyOf } from './machine-gone.ts';
import { recordDecision } from './report/decision-log.ts';
import { setConditions } from './report/say.ts';
import { type Again, againAfter } from './retry-later.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from './services.ts';
import { setWaitingCondition } from './waiting.ts';

/** Long enough that nobody floods the log, short enough that a repaired configuration is noticed. */
const misconfiguredSeconds = 60;

export type ClaimContext = {
  cluster: ClusterServices;
  provider: Provider;
  /** The tags of this claim's instances, less the attempt. */
  owner: Omit<InstanceTags, 'attempt'>;
  /** By which they are found. */
  claim: ClaimKey;
};

/** How often a step that may not act looks whether it may now. */
const readOnlySeconds = 15;
/** Where only the API server has to answer again. */
const unknownSeconds = 3;

/** The cluster, if we are the one who acts on it (rule 10). */
export async function findCluster(services: LifecycleServices, ref: ClaimRef): Promise<ClusterServices | Again> {
  const cluster = services.cluster(ref.cluster);
  if (!cluster) {
    const why = `cluster ${ref.cluster} is not in the configuration`;
    return { do: 'again', seconds: misconfiguredSeconds, why };
  }
  const standing = await services.ownership.standing(ref.cluster);
  if (standing.acts) return cluster;
  const { reason, who, why } = standing;
  await recordDecision(services, ref, 'read-only', { reason, ...defined({ who }), message: why });
  const seconds = reason === 'OwnerUnknown' ? unknownSeconds : readOnlySeconds;
  return { do: 'again', seconds: seconds * (0.75 + services.random() / 2), why };
}

export async function findClaimContext(
  services: LifecycleServices,
  ref: ClaimRef,
  providerName: string,
): Promise<ClaimContext | Again> {
  const cluster = await findCluster(services, ref);
  if ('do' in cluster) return cluster;
  const provider = cluster.providers.find((one) => one.name === providerName);
  if (!provider) {
    const why = `provider ${providerName} is not configured for cluster ${ref.cluster}, and this claim has an attempt there`;
    return await withoutProvider(services, cluster, ref, why);
  }
  const identity = await cluster.identity();
  if (!identity.ok) return againAfter(identity.error);
  const claim = claimKeyOf(services.deployment, identity.value, ref);
  const { deployment, claimUid } = claim;
  return { cluster, provider, owner: { deployment, cluster: identity.value, claimUid }, claim };
}

/** Where the provider makes its machines now, if that can change at all. */
export const currentLocation = async (provider: Provider): Promise<Result<string | undefined>> =>
  (await provider.place?.()) ?? ok(undefined);

/**
 * Waits if the claim's attempt was begun at another place than its provider looks at now: from here its machine looks gone,
 * and is not. Asked before a step believes in absence, and once more after it, because settings change at any time.
 */
export async function heldElsewhere(
  services: LifecycleServices,
  { cluster, provider }: Pick<ClaimContext, 'cluster' | 'provider'>,
  ref: ClaimRef,
  record: AttemptRecord | undefined,
): Promise<Again | undefined> {
  if (record?.place === undefined || record.provider !== provider.name) return undefined;
  const now = await currentLocation(provider);
  if (!now.ok && now.error.kind !== 'invalid') return againAfter(now.error);
  if (now.ok && !isElsewhere(record, now.value)) return undefined;
  const points = now.ok ? `it now points to ${now.value ?? 'another cloud'}` : now.error.message;
  const why =
    `attempt ${record.attempt} was started in ${record.place}, which provider ${provider.name} cannot reach: ${points}. The host creates and ` +
    'deletes nothing for this claim until the provider points there again';
  return await withoutProvider(services, cluster, ref, why);
}

/** Somebody has to change the configuration, so the claim says it, on its way up as on its way down. */
export async function withoutProvider(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  message: string,
): Promise<Again> {
  const reason = 'ProviderNotConfigured';
  const condition = { type: conditionTypes.instanceTerminating, status: 'Unknown' as const, reason, message };
  await setWaitingCondition(services, cluster, ref, reason, message);
  await setConditions(services, cluster, ref, [condition], [{ type: 'Warning', reason, message }]);
  await recordDecision(services, ref, 'provider-missing', { message });
  return { do: 'again', seconds: misconfiguredSeconds, why: message };
}

export const isAgain = (place: ClaimContext | ClusterServices | Again): place is Again => 'do' in place;
