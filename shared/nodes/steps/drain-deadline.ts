/** The termination grace period of a claim: by when its pods are gone, whatever budgets and the pods themselves say. Pure. */

import { parseDuration } from '../../base/durations.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { annotations } from '../claims/spec/well-known.ts';
import type { StoredClaim } from './claim-access.ts';

/**
 * The annotation wins: a repair, or a person in a hurry, writes an earlier time there. Undefined: no limit, and the drain takes
 * as long as the pods' budgets want.
 */
export function deadlineOf(claim: StoredClaim): number | undefined {
  const announced = Date.parse(claim.metadata.annotations?.[annotations.terminationTimestamp] ?? '');
  return Number.isNaN(announced) ? deadlineByPeriod(claim) : announced;
}

function deadlineByPeriod(claim: StoredClaim): number | undefined {
  const period = claim.spec.terminationGracePeriod;
  const parsed = typeof period === 'string' ? parseDuration(period) : undefined;
  const since = Date.parse(claim.metadata.deletionTimestamp ?? '');
  return parsed?.ok && !Number.isNaN(since) ? since + parsed.milliseconds : undefined;
}

/** What Karpenter's users read on the claim; undefined when it stands there already or there is no deadline. */
export function unannounced(claim: StoredClaim): string | undefined {
  const deadline = deadlineOf(claim);
  if (deadline === undefined || claim.metadata.annotations?.[annotations.terminationTimestamp]) return undefined;
  return toWireTime(deadline);
}
