/**
 * What a person may ask for: that a record which nobody can read is written anew (rule 12), and that a workflow is started once more,
 * also beside one that still runs. Nobody has to ask, so none of it counts as progress.
 */
import { spend } from './adversary.ts';
import { offeringAt } from './begin-create.ts';
import type { Emit } from './explore.ts';
import { startLaunch } from './reconcilers.ts';
import type { Setup } from './setup.ts';
import {
  alive,
  launchOf,
  listed,
  noWaits,
  PROVIDER,
  providerIDOf,
  type Slot,
  type State,
  slotOf,
  UID,
} from './state.ts';

export function personSteps(setup: Setup, s: State, emit: Emit): void {
  const ask = (next: State, label: string): void => emit(next, label, false, 0);
  rebuild(setup, s, ask);
  restart(s, ask);
}

type Ask = (next: State, label: string) => void;

/** The look and the write are two steps: the cloud does not stand still in between. */
function rebuild(setup: Setup, s: State, ask: Ask): void {
  const { claim, person } = s;
  if (person) {
    const { slot, attempt, offering } = person;
    const instance = { providerID: providerIDOf(slot), claimUid: UID, attempt, deleting: false };
    const bought = { ...instance, provider: PROVIDER, offering: offeringAt(offering) };
    const verdict = setup.rules.rebuildRecord(claim ?? undefined, bought);
    if (!verdict.ok || !claim) {
      ask({ ...s, person: null }, 'adopt is refused');
      return;
    }
    const { unreadable: _, ...rest } = claim;
    const written = { ...rest, finalizer: true, record: verdict.record };
    ask({ ...s, person: null, claim: written }, `adopt writes the record of attempt ${attempt} anew`);
    return;
  }
  if (s.budget.rebuild === 0 || !claim?.unreadable || claim.deleting) return;
  const found = listed(s.cloud);
  const [only] = found;
  // None, several, or one that is leaving is no decision.
  if (!only || found.length > 1 || only.deleting) return;
  const slot = slotOf(only.providerID);
  const instance = s.cloud.slots[slot];
  if (!alive(instance)) return;
  const { attempt, offering } = instance;
  ask(
    { ...spend(s, 'rebuild'), person: { slot, attempt, offering } },
    `adopt finds the instance of attempt ${attempt}`,
  );
}

/** Whatever the claim says by now: who is started has to find that out. */
function restart(s: State, ask: Ask): void {
  if (s.budget.restart === 0 || !s.claim) return;
  const started = { at: 'await-launches', ...noWaits } as const;
  for (const which of [1, 2] as Slot[])
    if (!launchOf(s, which)) ask(startLaunch(spend(s, 'restart'), which), `a person has L${which} started`);
  if (!s.terminate) ask({ ...spend(s, 'restart'), terminate: started }, 'a person has terminate started');
  else if (!s.secondTerminate)
    ask({ ...spend(s, 'restart'), secondTerminate: started }, 'a person has a second terminate started');
}
