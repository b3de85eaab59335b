/** The condition `Drifted` on the claims of a pool, as Karpenter has it: true with the reason, or absent. */

import { inParallel } from '../../base/in-parallel.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import { type ConditionChange, findCondition, setCondition } from '../../kube/conditions.ts';
import { nodeClaims } from '../../kube/contract.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { needsStamp } from '../disruption/drift.ts';
import type { DriftReason, PoolClaim } from '../disruption/types.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import type { Turn } from './lock.ts';
import { writeStatus } from './object-status.ts';
import type { Observed } from './observe.ts';
import { removalWords } from './remove-claims.ts';

const width = 16;

/** What can't be written, because somebody wrote to the claim in between, is written at the next look. */
export async function sayDrifted(
  services: LifecycleServices,
  { api }: ClusterServices,
  { claims, stored }: Observed,
  turn: Turn,
  signal: AbortSignal,
): Promise<void> {
  const now = services.clock.now();
  const due = claims.flatMap((claim) => {
    const object = stored.get(claim.name);
    const conditions =
      object && isSettled(claim, object) ? conditionsWithDrift(object, claim.outdated, now) : undefined;
    return object && conditions ? [{ object, conditions }] : [];
  });
  await inParallel(
    due,
    width,
    async ({ object, conditions }) => {
      const wire = conditions.map((condition) => ({ ...condition }));
      await writeStatus(api, nodeClaims, object, { conditions: wire }, signal);
    },
    () => signal.aborted || services.clock.now() >= turn.until,
  );
}

/** Before it has a node it is made anew, not replaced; one that was stamped in this look has a newer version by now. */
const isSettled = (claim: PoolClaim, object: StoredClaim): boolean =>
  claim.initialized && !claim.deleting && !needsStamp(object);

/** Undefined when nothing changes. Of an expired claim nobody has asked whether it has drifted as well. */
function conditionsWithDrift(
  { metadata, status }: StoredClaim,
  outdated: PoolClaim['outdated'],
  now: number,
): readonly Condition[] | undefined {
  const before: readonly Condition[] = status?.conditions ?? [];
  if (outdated === 'Expired') return undefined;
  if (outdated === undefined) {
    const drifted = findCondition(before, conditionTypes.drifted);
    return drifted && before.filter((condition) => condition !== drifted);
  }
  const after = setCondition(before, drift(outdated), { now, generation: metadata.generation });
  return after === before ? undefined : after;
}

const drift = (reason: DriftReason): ConditionChange => ({
  type: conditionTypes.drifted,
  status: 'True',
  reason,
  message: removalWords[reason],
});
