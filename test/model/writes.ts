/** Provider writes in flight: each takes effect, is answered, expires, or comes late. */
import { endWrite, land, outlast, targetOf, withWrite } from './cloud.ts';
import type { Emit } from './explore.ts';
import { remember, unresolved } from './launch.ts';
import type { Setup } from './setup.ts';
import { type Launch, launchAt, launchOf, type Slot, type State, type Write, withLaunch } from './state.ts';

export function writeSteps(setup: Setup, s: State, emit: Emit): void {
  for (const [index, write] of s.writes.entries()) {
    if (!write) continue;
    if (write.late) lateSteps(setup, s, index, write, emit);
    else promptSteps(setup, s, index, write, emit);
  }
}

function promptSteps(setup: Setup, s: State, index: number, write: Write, emit: Emit): void {
  const { attempt } = write;
  const which = write.owner === 0 ? null : (write.owner as Slot);
  const { makes, blocked } = targetOf(setup.idempotency, s.cloud.slots, attempt);
  const of = `create(${attempt}) of ${which ? `L${which}` : 'nobody'}`;
  const lost = (state: State): State => (which ? unresolved(setup, state, which) : state);

  if (!blocked) {
    const landed = land(setup, s, index);
    const over = endWrite(landed.state, index);
    if (which) {
      emit(
        withLaunch(over, which, answered(setup, over, which, write, landed.slot)),
        `${of} takes effect, answered`,
        true,
        0,
      );
      emit(lost(over), `${of} takes effect, answer lost`, true, 0);
    } else {
      emit(over, `${of} takes effect`, true, 0);
    }
  }
  const nothing = endWrite(s, index);
  if (makes && which) {
    const { epoch } = launchOf(s, which)!;
    const { offering, name } = write;
    const launch = launchAt('close', epoch, { attempt, offering, refusedTo: name });
    emit(withLaunch(nothing, which, launch), `${of} is answered: sold out`, true, 0);
  }
  emit(lost(nothing), `${of} expires without effect`, true, 0);
  if (makes && setup.lateness !== 'none' && s.budget.late > 0) {
    const budget = { ...s.budget, late: s.budget.late - 1 };
    const late = withWrite({ ...s, budget }, index, { ...write, owner: 0, late: true });
    const waitedFor = setup.lateness === 'bounded' && setup.covers.late;
    emit(
      lost(waitedFor ? late : outlast(late, index)),
      `${of} times out at its caller, its effect is still on the way`,
      true,
      0,
    );
  }
}

/** An instance of another attempt, or a token spent on another offering, is a conflict and no success. */
function answered(setup: Setup, s: State, which: Slot, write: Write, slot: number): Launch {
  const { attempt, offering } = write;
  const { epoch } = launchOf(s, which)!;
  const instance = s.cloud.slots[slot];
  const conflict =
    (setup.program.otherAttemptConflicts && instance?.attempt !== attempt) ||
    (setup.idempotency === 'token' && instance?.offering !== offering);
  return conflict
    ? launchAt('close', epoch, { attempt, offering })
    : launchAt('poll', epoch, { attempt, offering, slot });
}

function lateSteps(setup: Setup, s: State, index: number, write: Write, emit: Emit): void {
  const { attempt } = write;
  if (!targetOf(setup.idempotency, s.cloud.slots, attempt).blocked)
    emit(endWrite(land(setup, s, index).state, index), `LATE effect of create(${attempt})`, true, 0);
  emit(endWrite(s, index), `the late create(${attempt}) never happens`, true, 0);
}

/** The workflow is gone; its activity may still run, now or much later. */
export function forgetLaunch(s: State, which: Slot): State {
  const launch = launchOf(s, which)!;
  const writes = s.writes.map((write) => (write?.owner === which ? { ...write, owner: 0 } : write));
  const wishes = launch.at === 'begin' ? remember(s, launch) : s.wishes;
  return withLaunch({ ...s, writes, wishes }, which, null);
}
