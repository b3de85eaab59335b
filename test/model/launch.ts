/** The steps of a launch, one activity each. Every decision is a call of a rule. */
import type { ClaimView, Refusal } from '../../shared/nodes/claims/attempt/attempt.ts';
import { beginCreate, freeClosing, indexOfOffering, offeringAt } from './begin-create.ts';
import { waitsFromNow } from './cloud.ts';
import { beginDelete, isReady } from './delete.ts';
import type { Emit } from './explore.ts';
import { property } from './properties.ts';
import type { Setup } from './setup.ts';
import {
  closerOf,
  executionName,
  type Launch,
  launchAt,
  launchOf,
  listed,
  PROVIDER,
  providerIDOf,
  type Slot,
  type State,
  slotOf,
  UID,
  viewOf,
  withLaunch,
  withRecord,
} from './state.ts';

export function launchSteps(setup: Setup, s: State, which: Slot, emit: Emit): void {
  const launch = launchOf(s, which);
  if (!launch) return;
  steps[launch.at](new Step(setup, s, which, launch, emit));
}

const afterOpening: ReadonlySet<Launch['at']> = new Set([
  'settle-right',
  'look-right',
  'poll',
  'record',
  'register',
  'close',
]);

/** One launch in one state, with the ways it can go on. */
class Step {
  readonly setup: Setup;
  readonly s: State;
  readonly which: Slot;
  readonly launch: Launch;
  readonly #emit: Emit;

  constructor(setup: Setup, s: State, which: Slot, launch: Launch, emit: Emit) {
    this.setup = setup;
    this.s = s;
    this.which = which;
    this.launch = launch;
    this.#emit = emit;
  }

  get claim(): ClaimView | undefined {
    return this.s.claim ?? undefined;
  }
  get rules() {
    return this.setup.rules;
  }

  go(launch: Launch | null, label: string, state = this.s, violated = 0): void {
    this.#emit(withLaunch(state, this.which, launch), `L${this.which} ${label}`, true, violated);
  }
  /** The engine's doing, not the launch's. */
  suffer(launch: Launch | null, label: string, state: State): void {
    this.#emit(withLaunch(state, this.which, launch), label, false, 0);
  }
  end(label: string, state = this.s, violated = 0): void {
    const world = this.setup.program.startsAfterEnd ? state.world : { ...state.world, launchEnded: true };
    this.go(null, label, { ...state, world }, violated);
  }
  to(at: Launch['at'], more: Partial<Launch> = {}): Launch {
    const { attempt, offering } = this.launch;
    // The name of a closing is of use until the next attempt is open; carried further it would only multiply states.
    const closing = afterOpening.has(at) ? 0 : this.launch.closing;
    return launchAt(at, this.launch.epoch, { attempt, offering, closing, ...more });
  }
  /** A refusal is no failure: the claim says what to do instead. */
  refused(what: string, why: Refusal): void {
    const { attempt, epoch } = this.launch;
    if (why === 'gone' || why === 'deleting') this.end(`${what}: claim ${why}, ends`);
    else this.go(launchAt('resume', epoch), `${what} of attempt ${attempt} refused (${why})`);
  }
}

const steps: Record<Launch['at'], (step: Step) => void> = {
  resume(step) {
    const { epoch } = step.launch;
    const resume = step.rules.resumeLaunch(step.claim, UID, step.s.world.now, epoch);
    switch (resume.do) {
      case 'end':
        return step.end(`reads the claim and ends (${resume.why})`);
      case 'begin': {
        const offering = resume.offering ? indexOfOffering(resume.offering.instanceType) : step.which - 1;
        const { attempt } = resume;
        return step.go(launchAt('begin', epoch, { attempt, offering }), `goes for attempt ${attempt}`);
      }
      case 'take-over':
        return takeOver(step);
      case 'register': {
        const { attempt, providerID } = resume;
        const at = launchAt('register', epoch, { attempt, slot: slotOf(providerID) });
        return step.go(at, `goes on with launched attempt ${attempt}`);
      }
      case 'reclose': {
        const { attempt } = resume;
        return step.go(launchAt('close', epoch, { attempt }), `finds attempt ${attempt} closed`);
      }
    }
  },

  begin(step) {
    const { s, launch, setup } = step;
    const { attempt, offering, epoch, closing } = launch;
    if (launch.unknown && setup.idempotency !== 'none')
      step.go(step.to('close'), `gives attempt ${attempt} up (outcome unknown)`);
    const begun = beginCreate(setup, s, { attempt, offering, epoch, closing }, step.which);
    switch (begun.do) {
      case 'waits':
        return;
      case 'writes': {
        const wishes = remember(begun.state, launch);
        const { unknown } = launch;
        return step.go(step.to('answer', { unknown }), `takes the right to create(${attempt})`, {
          ...begun.state,
          wishes,
        });
      }
      case 'adopted': {
        const { slot } = begun;
        const at = launchAt('poll', epoch, { attempt: begun.attempt, slot });
        return step.go(at, `finds the instance of attempt ${begun.attempt} and adopts it`, begun.state);
      }
      case 'refused':
        if (begun.why === 'right-taken') {
          const at = step.to('settle-right', waitsFromNow(setup, s));
          return step.go(at, `create(${attempt}): the right is taken, waits`);
        }
        if (begun.why === 'not-cleared' && s.claim?.record?.state === 'failed') {
          const at = launchAt('clear', epoch, { attempt: s.claim.record.attempt });
          return step.go(at, `create(${attempt}): the last instance is still in the status`);
        }
        return step.refused('create', begun.why);
    }
  },

  answer(step) {
    const { s, which, launch } = step;
    if (s.budget.repeat === 0) return;
    const index = s.writes.findIndex((write) => write?.owner === which);
    if (index < 0) return;
    const writes = s.writes.map((write, i) => (write && i === index ? { ...write, owner: 0 } : write));
    const budget = { ...s.budget, repeat: s.budget.repeat - 1 };
    const label = `the engine runs L${which}'s create(${launch.attempt}) again while the first still runs`;
    step.suffer(step.to('begin', { unknown: true }), label, { ...s, writes, budget });
  },

  'settle-right'(step) {
    const { writes, unlisted, attempt } = step.launch;
    if (writes === 0 && unlisted === 0)
      step.go(step.to('look-right'), `has waited for the one write of attempt ${attempt}`);
  },

  'look-right'(step) {
    const { attempt } = step.launch;
    const found = step.rules.ofAttempt(UID, attempt, listed(step.s.cloud)).find((instance) => !instance.deleting);
    if (found) step.go(step.to('poll', { slot: slotOf(found.providerID) }), `finds the instance of attempt ${attempt}`);
    else step.go(step.to('close'), `finds no instance of attempt ${attempt}`);
  },

  poll(step) {
    const { slot, attempt } = step.launch;
    const instance = step.s.cloud.slots[slot];
    if (instance?.state === 'live')
      step.go(step.to('record', { slot, tag: instance.attempt }), `polls: the instance of attempt ${attempt} is there`);
    step.go(step.to('close'), `polls: attempt ${attempt} failed`);
  },

  record(step) {
    const { slot, tag, attempt } = step.launch;
    const { s, claim } = step;
    const view = { providerID: providerIDOf(slot), claimUid: UID, attempt: tag, deleting: false };
    const verdict = step.rules.mayRecord(claim, UID, attempt, view);
    if (!verdict.ok) {
      if (verdict.why === 'foreign-instance') return step.go(step.to('close'), 'record: not our instance, gives up');
      return step.refused('record', verdict.why);
    }
    const launched = { ...claim!, launched: true, providerID: view.providerID };
    step.go(step.to('register', { slot }), `records attempt ${attempt} (Launched)`, { ...s, claim: launched });
  },

  register(step) {
    const { slot, attempt } = step.launch;
    const { s, claim } = step;
    const instance = s.cloud.slots[slot];
    const tagged = instance ? viewOf(instance, slot) : undefined;
    const verdict = step.rules.mayRegister(claim, UID, attempt, providerIDOf(slot), tagged);
    if (!verdict.ok && verdict.why !== 'foreign-instance') return step.refused('register', verdict.why);
    if (verdict.ok && instance?.state === 'live') {
      const record = claim?.record;
      const other =
        record?.state !== 'open' ||
        instance.attempt !== record.attempt ||
        offeringAt(instance.offering) !== record.offering;
      step.end(
        `sees its node Ready (attempt ${attempt})`,
        { ...s, claim: { ...claim!, ready: true } },
        other ? property.P6 : 0,
      );
    }
    step.go(step.to('close', { final: true }), `waits in vain for the node of attempt ${attempt}`);
  },

  close(step) {
    const { s, claim, launch, setup } = step;
    const { attempt, refusedTo, final } = launch;
    // A launch keeps its name where closings have none of their own.
    const closing = setup.program.namesEachClosing ? freeClosing(s) : 100 + launch.epoch;
    const answer = refusedTo ? executionName(refusedTo) : undefined;
    const verdict = step.rules.closeAttempt(claim, UID, attempt, closerOf(launch.epoch, closing), answer);
    if (!verdict.ok) return step.refused('close', verdict.why);
    const state = { ...s, claim: withRecord(claim!, verdict.record) };
    const waits = verdict.settle ? waitsFromNow(setup, s) : { writes: 0, unlisted: 0 };
    if (claim?.launched) {
      const violated = isReady(s) ? property.P5 : 0;
      return step.go(step.to('clear', { ...waits, final, closing }), `closes attempt ${attempt}`, state, violated);
    }
    if (verdict.settle)
      return step.go(step.to('wait', { ...waits, final, closing }), `closes attempt ${attempt}`, state);
    const next = setup.program.looksAfterSoldOut ? step.to('discard', { final, closing }) : passOn(step, closing);
    step.go(next, `closes attempt ${attempt}, no wait: its one write was answered`, state);
  },

  clear(step) {
    const { s, claim, launch } = step;
    const { attempt, writes, unlisted, final } = launch;
    const verdict = step.rules.mayClear(claim, UID, attempt);
    if (!verdict.ok) return step.refused('clear', verdict.why);
    const state = { ...s, claim: cleared(claim!) };
    const next =
      claim?.record?.state === 'failed'
        ? launchAt('resume', launch.epoch)
        : step.to('wait', { writes, unlisted, final });
    step.go(next, `clears the status of attempt ${attempt}`, state);
  },

  wait(step) {
    const { writes, unlisted, attempt, final } = step.launch;
    if (writes === 0 && unlisted === 0) step.go(step.to('discard', { final }), `has waited, attempt ${attempt}`);
  },

  discard(step) {
    const { s, claim, launch } = step;
    const { attempt, final } = launch;
    const verdict = step.rules.mayDiscard(claim, UID, attempt);
    if (!verdict.ok) return step.refused('discard', verdict.why);
    const [target] = step.rules.ofAttempt(UID, attempt, listed(s.cloud));
    if (!target) return step.go(passOn(step), `finds nothing left of attempt ${attempt}`);
    for (const { state, label, violated } of beginDelete(step.setup, s, slotOf(target.providerID)))
      step.go(
        label === 'late' ? launch : step.to('deleting', { final }),
        `discard(${attempt}): ${deleteWords[label]}`,
        state,
        violated,
      );
  },

  deleting(step) {
    const { attempt, final } = step.launch;
    const [target] = step.rules.ofAttempt(UID, attempt, listed(step.s.cloud));
    if (target?.deleting) return;
    const next = step.setup.program.looksAgain ? step.to('discard', { final }) : passOn(step);
    step.go(next, `discard(${attempt}): it is gone`);
  },

  fail(step) {
    const { s, claim, launch } = step;
    const { attempt } = launch;
    const verdict = step.rules.failAttempt(
      claim,
      UID,
      attempt,
      closerOf(launch.epoch, launch.closing),
      s.world.now + 1,
    );
    if (!verdict.ok) return step.refused('fail', verdict.why);
    step.end(`fails the claim after attempt ${attempt}`, { ...s, claim: withRecord(claim!, verdict.record) });
  },
};

/** The look and the patch are one activity; the patch is conditional on the claim that was read before the look. */
function takeOver(step: Step): void {
  const { s, claim, launch } = step;
  const found = listed(s.cloud).find(({ claimUid }) => claimUid === UID);
  if (found?.deleting) return;
  if (!found) {
    const at = launchAt('begin', launch.epoch, { attempt: 1, offering: step.which - 1 });
    if (claim?.launched) step.end('finds nothing of a predecessor, leaves the claim alone');
    else step.go(at, 'finds nothing of a predecessor, goes for attempt 1');
    return;
  }
  const slot = slotOf(found.providerID);
  const offering = offeringAt(s.cloud.slots[slot]?.offering ?? 0);
  const verdict = step.rules.takeOver(claim, { ...found, provider: PROVIDER, offering });
  if (!verdict.ok) {
    step.refused('take-over', verdict.why);
    return;
  }
  const taken = { ...s, claim: withRecord(claim!, verdict.record) };
  const at = claim!.launched
    ? launchAt('resume', launch.epoch)
    : launchAt('poll', launch.epoch, { attempt: verdict.record.attempt, slot });
  step.go(at, 'takes over what a predecessor made', taken);
}

export const deleteWords = { begun: 'begins the delete', late: 'the delete times out and may land late' } as const;

export const cleared = ({ providerID: _, ...claim }: ClaimView): ClaimView => ({
  ...claim,
  launched: false,
  ready: false,
});

/** Nothing is left of the attempt: the next one, or failure. */
function passOn(step: Step, closing = step.launch.closing): Launch {
  const { attempt, epoch, final } = step.launch;
  if (final || attempt >= step.setup.attempts) return step.to('fail', { closing });
  return launchAt('begin', epoch, { closing, attempt: attempt + 1, offering: step.which - 1 });
}

/** The engine may run this begin-create again at any later time. */
export function remember(s: State, { attempt, offering, epoch, closing }: Launch): State['wishes'] {
  if (s.budget.duplicate === 0) return s.wishes;
  return [...s.wishes.filter((wish) => wish.attempt !== attempt), { attempt, offering, epoch, closing }].sort(
    (a, b) => a.attempt - b.attempt,
  );
}

/** What the launch does when it can't know what its create did. */
export function unresolved(setup: Setup, s: State, which: Slot): State {
  const launch = launchOf(s, which)!;
  const { attempt, offering, epoch, closing } = launch;
  const again = setup.idempotency === 'none' || s.budget.repeat > 0;
  if (!again) return withLaunch(s, which, launchAt('close', epoch, { attempt, offering }));
  const budget = setup.idempotency === 'none' ? s.budget : { ...s.budget, repeat: s.budget.repeat - 1 };
  return withLaunch({ ...s, budget }, which, launchAt('begin', epoch, { attempt, offering, closing, unknown: true }));
}
