/** Garbage collection and resync: what runs on timers. */
import type { ClaimReading, ClaimView } from '../../shared/nodes/claims/attempt/attempt.ts';
import { deleteNow } from './delete.ts';
import type { Emit } from './explore.ts';
import { cleared } from './launch.ts';
import type { Setup } from './setup.ts';
import {
  alive,
  launchAt,
  noWaits,
  type Slot,
  type State,
  slotOf,
  UID,
  viewOf,
  withLaunch,
  withRecord,
} from './state.ts';

export function collectorSteps(setup: Setup, s: State, emit: Emit): void {
  const { collector } = s;
  const reading: ClaimReading = s.claim
    ? { found: 'claim', claim: s.claim }
    : { found: s.world.nameTaken ? 'other-uid' : 'absent' };
  if (!collector) {
    for (const [slot, instance] of s.cloud.slots.entries()) {
      if (instance?.state !== 'live' || !instance.listed) continue;
      if (!setup.rules.isOrphan(reading, viewOf(instance, slot))) continue;
      const { attempt } = instance;
      emit(
        { ...s, collector: { slot, attempt, decided: false } },
        `gc reads: attempt ${attempt}'s instance has no claim`,
        true,
        0,
      );
    }
    return;
  }
  const { slot, attempt, decided } = collector;
  const instance = s.cloud.slots[slot];
  const there = alive(instance) && (instance.attempt === attempt || !setup.program.deletesByTag);
  const orphan = there && (decided || setup.rules.isOrphan(reading, viewOf(instance, slot)));
  if (!orphan) {
    emit({ ...s, collector: null }, 'gc makes no decision', true, 0);
    return;
  }
  if (!setup.program.collectorReadsWithDelete && !decided) {
    emit({ ...s, collector: { ...collector, decided: true } }, `gc reads the same again (attempt ${attempt})`, true, 0);
    return;
  }
  const { state, violated } = deleteNow(s, slot);
  emit({ ...state, collector: null }, `gc deletes the instance of attempt ${attempt}`, true, violated);
}

export function resyncSteps(setup: Setup, s: State, emit: Emit): void {
  const { claim } = s;
  if (!claim) return;
  const wanted = setup.rules.wantedWorkflow(claim, s.world.now);
  if (wanted === 'launch' && !s.first && !s.second && !s.world.launchEnded)
    emit(startLaunch(s, 1), 'resync starts L1', true, 0);
  if (wanted === 'terminate' && !s.terminate && !s.world.terminateEnded)
    emit({ ...s, terminate: { at: 'await-launches', ...noWaits } }, 'resync starts terminate', true, 0);
  vanishedSteps(setup, s, claim, emit);
}

/** Rule 9: two NotFound gets and a Node that is not Ready. The record first, then the status. */
function vanishedSteps(setup: Setup, s: State, claim: ClaimView, emit: Emit): void {
  const { providerID, record } = claim;
  if (providerID === undefined || claim.deleting) return;
  if (!alive(s.cloud.slots[slotOf(providerID)])) {
    const verdict = setup.rules.loseInstance(claim, UID, providerID, s.world.now + 1);
    if (verdict.ok)
      emit({ ...s, claim: withRecord(claim, verdict.record) }, 'resync finds the instance vanished', true, 0);
  }
  if (record?.state === 'failed' && setup.rules.mayClear(claim, UID, record.attempt).ok)
    emit({ ...s, claim: cleared(claim) }, 'resync clears the status of the failed attempt', true, 0);
}

/**
 * The next unused epoch. Only the order of epochs matters, so those in use are numbered anew from 1: the states stay
 * finite however often a launch is started.
 */
export function startLaunch(s: State, which: Slot): State {
  const used = new Set<number>();
  for (const launch of [s.first, s.second]) if (launch) used.add(launch.epoch);
  for (const claim of [s.claim, s.snapshot]) if (claim?.record?.closer) used.add(claim.record.closer.epoch);
  for (const wish of s.wishes) used.add(wish.epoch);
  const order = [...used].sort((a, b) => a - b);
  const rank = (epoch: number): number => order.indexOf(epoch) + 1;
  const ranked = (claim: ClaimView | null): ClaimView | null => {
    const closer = claim?.record?.closer;
    if (!claim?.record || !closer) return claim;
    return withRecord(claim, { ...claim.record, closer: { ...closer, epoch: rank(closer.epoch) } });
  };
  const first = s.first && { ...s.first, epoch: rank(s.first.epoch) };
  const second = s.second && { ...s.second, epoch: rank(s.second.epoch) };
  const wishes = s.wishes.map((wish) => ({ ...wish, epoch: rank(wish.epoch) }));
  const same = { ...s, first, second, wishes, claim: ranked(s.claim), snapshot: ranked(s.snapshot) };
  return withLaunch(same, which, launchAt('resume', order.length + 1));
}
