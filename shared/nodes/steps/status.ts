/** Writing a claim's status: only what changed, all that is due in one patch, never over somebody's newer write. */

import type { Json } from '../../base/json.ts';
import type { ConditionChange } from '../../kube/conditions.ts';
import type { NodeClaimStatus } from '../claims/spec/types.ts';
import type { StoredClaim } from './claim-access.ts';
import { setConditionsAndReady } from './claim-conditions.ts';

/** `null` removes a field. */
export type StatusFields = { [K in keyof Omit<NodeClaimStatus, 'conditions'>]?: NodeClaimStatus[K] | null };

/** The merge patch that brings the status up to date, or undefined when it already is. */
export function statusPatch(
  claim: StoredClaim,
  now: number,
  changes: readonly ConditionChange[],
  fields: StatusFields = {},
): Json | undefined {
  const before = claim.status?.conditions ?? [];
  const after = setConditionsAndReady(before, changes, { now, generation: claim.metadata.generation });
  const status: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(fields)) {
    const current = claim.status?.[key as keyof NodeClaimStatus];
    if (value === null ? current !== undefined : JSON.stringify(current) !== JSON.stringify(value)) {
      status[key] = value as Json;
    }
  }
  // A merge patch replaces lists as a whole.
  if (after !== before) status.conditions = after.map((condition) => ({ ...condition }));
  return Object.keys(status).length === 0 ? undefined : { status };
}
