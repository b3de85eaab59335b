/** The steps of terminate. */
import { targetOf, waitsFromNow } from './cloud.ts';
import { beginDelete } from './delete.ts';
import type { Emit } from './explore.ts';
import { deleteWords } from './launch.ts';
import { property } from './properties.ts';
import type { Setup } from './setup.ts';
import { alive, listed, noWaits, type State, slotOf, type Terminate, UID } from './state.ts';

export function terminateSteps(setup: Setup, s: State, which: 'terminate' | 'secondTerminate', emit: Emit): void {
  const { [which]: terminate, claim } = s;
  if (!terminate) return;
  const name = which === 'terminate' ? which : 'the second terminate';
  const { rules, program } = setup;
  const go = (at: Terminate['at'], label: string, state = s, waits = noWaits, violated = 0): void =>
    emit(
      { ...state, [which]: { at, writes: waits.writes, unlisted: waits.unlisted } },
      `${name} ${label}`,
      true,
      violated,
    );
  const end = (label: string, state = s, violated = 0): void => {
    const world = program.startsAfterEnd ? state.world : { ...state.world, terminateEnded: true };
    emit({ ...state, world, [which]: null }, `${name} ${label}`, true, violated);
  };
  if (!claim) {
    end('sees that the claim is gone, ends');
    return;
  }
  switch (terminate.at) {
    case 'await-launches':
      if (!program.terminateWaitsForLaunches || (!s.first && !s.second)) go('read', 'sees that no launch runs');
      return;
    case 'read':
      if (!claim.deleting) end('sees that the claim is not being deleted, ends');
      else if (rules.terminateSettles(claim)) go('wait', 'reads the claim, must wait', s, waitsFromNow(setup, s));
      else go('discard', 'reads the claim, need not wait');
      return;
    case 'wait':
      if (terminate.writes === 0 && terminate.unlisted === 0) go('discard', 'has waited');
      return;
    case 'discard': {
      const verdict = rules.mayDiscardAll(claim, UID);
      const slot = targetSlot(setup, s);
      if (!verdict.ok) end(`discard refused (${verdict.why}), ends`);
      else if (slot < 0) go('drop', 'finds nothing');
      else
        for (const { state, label, violated } of beginDelete(setup, s, slot))
          go(label === 'late' ? 'discard' : 'deleting', deleteWords[label], state, noWaits, violated);
      return;
    }
    case 'deleting':
      if (s.cloud.slots[targetSlot(setup, s)]?.state === 'deleting') return;
      go(program.looksAgain ? 'discard' : 'drop', 'sees it gone');
      return;
    case 'drop': {
      const verdict = rules.mayDropFinalizer(claim, UID);
      const dropped = claim.deleting ? null : { ...claim, finalizer: false };
      if (!verdict.ok) end(`drop refused (${verdict.why}), ends`);
      else end('drops the finalizer', { ...s, claim: dropped }, mayAppear(setup, s) ? property.P4 : 0);
    }
  }
}

function targetSlot(setup: Setup, s: State): number {
  const [target] = setup.rules.ofClaim(UID, listed(s.cloud));
  if (target) return slotOf(target.providerID);
  const recorded = slotOf(s.claim?.providerID);
  return setup.program.deletesById && alive(s.cloud.slots[recorded]) ? recorded : -1;
}

/** An instance exists, or a write in flight could still make one. */
function mayAppear(setup: Setup, s: State): boolean {
  if (s.cloud.slots.some(alive)) return true;
  return s.writes.some((write) => {
    if (!write) return false;
    const { makes, blocked } = targetOf(setup.idempotency, s.cloud.slots, write.attempt);
    return makes || blocked;
  });
}
