/** What may go wrong at any moment, each kind as often as the budget says. None of it counts as progress. */

import { beginCreate } from './begin-create.ts';
import { shown, vanish, withSlot } from './cloud.ts';
import { deleteNow } from './delete.ts';
import type { Emit } from './explore.ts';
import { startLaunch } from './reconcilers.ts';
import type { Setup } from './setup.ts';
import { alive, type Budget, launchOf, type Slot, type State } from './state.ts';
import { forgetLaunch } from './writes.ts';

export const spend = (s: State, kind: keyof Budget): State => ({
  ...s,
  budget: { ...s.budget, [kind]: s.budget[kind] - 1 },
});

export function adversarySteps(setup: Setup, s: State, emit: Emit): void {
  const suffer = (next: State, label: string): void => emit(next, label, false, 0);
  engine(setup, s, suffer);
  people(s, suffer);
  disaster(setup, s, suffer);
  market(setup, s, suffer);
}

type Suffer = (next: State, label: string) => void;

function engine(setup: Setup, s: State, suffer: Suffer): void {
  const { budget } = s;
  for (const which of [1, 2] as Slot[]) {
    const launch = launchOf(s, which);
    if (!launch) continue;
    if (budget.lost > 0)
      suffer(forgetLaunch(spend(s, 'lost'), which), `the history of L${which} is lost (at ${launch.at})`);
    const other: Slot = which === 1 ? 2 : 1;
    if (budget.second > 0 && s.claim && !launchOf(s, other))
      suffer(startLaunch(spend(s, 'second'), other), `L${other} is started while L${which} still runs`);
  }
  if (budget.lost > 0 && s.terminate)
    suffer({ ...spend(s, 'lost'), terminate: null }, 'the history of terminate is lost');
  if (budget.duplicate > 0) {
    for (const wish of s.wishes) {
      const begun = beginCreate(setup, s, wish, 0);
      if (begun.do !== 'writes' && begun.do !== 'adopted') continue;
      const after = spend(begun.state, 'duplicate');
      const wishes = after.budget.duplicate > 0 ? after.wishes : [];
      suffer(
        { ...after, wishes },
        `a duplicate of create(${wish.attempt}) ${begun.do === 'writes' ? 'takes a right' : 'adopts'}`,
      );
    }
  }
  if (budget.retry > 0 && s.claim?.record?.state === 'failed') {
    const after = spend(s, 'retry');
    suffer({ ...after, world: { ...s.world, now: s.world.now + 1 } }, 'the pause after the failure is over');
  }
}

function people(s: State, suffer: Suffer): void {
  const { claim, budget } = s;
  if (!claim) {
    if (budget.recreate > 0 && !s.world.nameTaken)
      suffer({ ...spend(s, 'recreate'), world: { ...s.world, nameTaken: true } }, 'a claim of the same name is made');
    return;
  }
  if (budget.userDelete > 0 && !claim.deleting)
    suffer(
      { ...spend(s, 'userDelete'), claim: claim.finalizer ? { ...claim, deleting: true } : null },
      'the user deletes the claim',
    );
  if (budget.strip > 0 && claim.finalizer)
    suffer(
      { ...spend(s, 'strip'), claim: claim.deleting ? null : { ...claim, finalizer: false } },
      'the finalizer is stripped by force',
    );
  if (budget.corrupt > 0 && claim.record)
    suffer(
      { ...spend(s, 'corrupt'), claim: { ...claim, record: undefined, unreadable: true } },
      'somebody garbles the annotation',
    );
}

function disaster(setup: Setup, s: State, suffer: Suffer): void {
  const { budget } = s;
  if (budget.snapshot > 0) suffer({ ...spend(s, 'snapshot'), snapshot: s.claim }, 'a backup of etcd is taken');
  const busy = s.writes.some((write) => write) || s.cloud.slots.some((instance) => alive(instance) && !instance.listed);
  if (setup.restores !== 'any' && busy) return;
  if (budget.restoreToNothing > 0 && s.claim)
    suffer({ ...spend(s, 'restoreToNothing'), claim: null }, 'etcd is RESTORED to before the claim');
  if (budget.snapshot === 0 && budget.restore > 0 && s.snapshot !== s.claim)
    suffer({ ...spend(s, 'restore'), claim: s.snapshot, snapshot: null }, 'etcd is RESTORED from the backup');
}

function market(setup: Setup, s: State, suffer: Suffer): void {
  for (const [slot, instance] of s.cloud.slots.entries()) {
    if (s.budget.kill > 0 && instance?.state === 'live')
      suffer(vanish(setup, spend(s, 'kill'), slot), `the cloud takes attempt ${instance.attempt}'s instance away`);
    const busy = s.writes.some((write) => write?.attempt === instance?.attempt);
    if (s.budget.forget > 0 && setup.idempotency === 'token' && instance?.state === 'gone' && !busy)
      suffer(withSlot(spend(s, 'forget'), slot, null), `the cloud forgets the token of attempt ${instance.attempt}`);
  }
}

/** The cloud's own progress: deletions end, lists catch up, late deletes land or never do. */
export function cloudSteps(setup: Setup, s: State, emit: Emit): void {
  for (const [slot, instance] of s.cloud.slots.entries()) {
    if (instance?.state === 'deleting')
      emit(vanish(setup, s, slot), `attempt ${instance.attempt}'s instance is gone`, true, 0);
    if (alive(instance) && !instance.listed)
      emit(listNow(s, slot), `the list now shows attempt ${instance.attempt}'s instance`, true, 0);
  }
  const { lateDelete } = s.cloud;
  if (!lateDelete) return;
  const settled = { ...s, cloud: { ...s.cloud, lateDelete: null } };
  const { slot, attempt } = lateDelete;
  const hits = attempt === 0 || s.cloud.slots[slot]?.attempt === attempt;
  const { state, violated } = hits ? deleteNow(settled, slot) : { state: settled, violated: 0 };
  emit(state, `the LATE delete lands`, true, violated);
  emit(settled, 'the late delete never happens', true, 0);
}

function listNow(s: State, slot: number): State {
  const instance = s.cloud.slots[slot]!;
  return withSlot(shown(s, slot), slot, { ...instance, listed: true });
}
