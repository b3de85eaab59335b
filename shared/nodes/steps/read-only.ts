/**
 * A claim that nobody serves while we may not act says so itself. Only such a claim: what another provisioner has touched, it
 * also speaks for, and two who write the same conditions would never come to rest.
 */

import { defined } from '../../base/defined.ts';
import type { ReadOnly } from '../../ownership/standing.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import type { StoredClaim } from './claim-access.ts';
import { refOf } from './ref.ts';
import { emitEventThrottled } from './report/claim-events.ts';
import { recordDecision } from './report/decision-log.ts';
import type { ClusterServices, LifecycleServices } from './services.ts';
import { setWaitingCondition } from './waiting.ts';

/** Whoever serves the claim has touched it long before. */
const untouchedSeconds = 60;

export async function sayReadOnly(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  standing: ReadOnly,
  signal?: AbortSignal,
): Promise<void> {
  if (standing.reason === 'OwnerUnknown' || !isUntouched(claim, services.clock.now(), standing.reason)) return;
  const { reason, who, why } = standing;
  const ref = refOf(cluster.name, claim);
  await setWaitingCondition(services, cluster, ref, reason, why, signal);
  await emitEventThrottled(services, cluster, claim, 'Warning', reason, why);
  await recordDecision(services, ref, 'read-only', { reason, ...defined({ who }), message: why });
}

function isUntouched({ metadata, status }: StoredClaim, now: number, reason: string): boolean {
  if (metadata.deletionTimestamp !== undefined || (metadata.finalizers ?? []).length > 0) return false;
  if (now - Date.parse(metadata.creationTimestamp) < untouchedSeconds * 1000) return false;
  const conditions = status?.conditions ?? [];
  const launched = conditions.find(({ type }) => type === conditionTypes.launched);
  // Ours from an earlier look; other conditions only follow from it.
  return conditions.length === 0 || launched?.reason === reason;
}
