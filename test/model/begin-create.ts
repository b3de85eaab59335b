/** One execution of begin-create up to its provider write: look, take the right, patch. Launches and duplicates share it. */
import type { AttemptRecord, ClaimView, Refusal } from '../../shared/nodes/claims/attempt/attempt.ts';
import { withWrite } from './cloud.ts';
import type { Setup } from './setup.ts';
import {
  alive,
  closerOf,
  executionName,
  listed,
  OFFERINGS,
  PROVIDER,
  type State,
  slotOf,
  UID,
  type Wish,
  type Write,
} from './state.ts';

export type Begun =
  | { do: 'writes'; state: State }
  | { do: 'adopted'; state: State; attempt: number; slot: number }
  | { do: 'refused'; why: Refusal }
  /** Something of this uid is still being deleted; or all write slots of the model are taken. */
  | { do: 'waits' };

export function beginCreate(setup: Setup, s: State, wish: Wish, owner: number): Begun {
  const claim = s.claim ?? undefined;
  if (setup.looks && claim) {
    const look = setup.rules.lookBeforeWrite(UID, wish.attempt, listed(s.cloud));
    if (look.do === 'wait') return { do: 'waits' };
    if (look.do === 'adopt') return adopt(setup, s, claim, slotOf(look.instance.providerID));
  }
  const name = freeName(s);
  const verdict = setup.rules.takeWriteRight(claim, {
    uid: UID,
    attempt: wish.attempt,
    provider: PROVIDER,
    offering: offeringAt(wish.offering),
    execution: executionName(name),
    ...(wish.closing ? { closer: closerOf(wish.epoch, wish.closing) } : {}),
    idempotency: setup.idempotency,
    now: s.world.now,
  });
  if (!verdict.ok) return { do: 'refused', why: verdict.why };
  const index = s.writes.indexOf(null);
  if (index < 0) return { do: 'waits' };
  const repeated = claim?.record?.attempt === wish.attempt;
  const write: Write = { attempt: wish.attempt, offering: wish.offering, name, owner, late: false, repeated };
  const patched = setup.program.takesRightByPatch && claim ? patch(claim, verdict.record) : s.claim;
  return { do: 'writes', state: withWrite({ ...s, claim: patched }, index, write) };
}

function adopt(setup: Setup, s: State, claim: ClaimView, slot: number): Begun {
  const instance = s.cloud.slots[slot];
  if (!alive(instance)) return { do: 'waits' };
  const { attempt } = instance;
  const verdict = setup.rules.adoptInstance(claim, {
    ...{ providerID: `cloud:///${slot}`, claimUid: UID, attempt, deleting: false },
    provider: PROVIDER,
    offering: offeringAt(instance.offering),
  });
  if (!verdict.ok) return { do: 'refused', why: verdict.why };
  return { do: 'adopted', state: { ...s, claim: patch(claim, verdict.record) }, attempt, slot };
}

/** Rule 1: the patch that takes the right also adds the finalizer. */
const patch = (claim: ClaimView, record: AttemptRecord): ClaimView => ({ ...claim, finalizer: true, record });

export const offeringAt = (index: number) => OFFERINGS[index] ?? OFFERINGS[0]!;
export const indexOfOffering = (instanceType: string): number =>
  Math.max(
    0,
    OFFERINGS.findIndex((offering) => offering.instanceType === instanceType),
  );

/** The smallest name for a closing that nothing in this state remembers. */
export function freeClosing(s: State): number {
  const used = new Set<string | number | undefined>([s.claim?.record?.closer?.id, s.snapshot?.record?.closer?.id]);
  for (const launch of [s.first, s.second]) if (launch) used.add(launch.closing);
  for (const wish of s.wishes) used.add(wish.closing);
  let closing = 1;
  while (used.has(closing) || used.has(closerOf(0, closing).id)) closing++;
  return closing;
}

/** The smallest name that nothing in this state remembers: names are never used twice, and the states stay finite. */
function freeName(s: State): number {
  const used = new Set<string>([s.claim?.record?.holder ?? '', s.snapshot?.record?.holder ?? '']);
  for (const write of s.writes) if (write) used.add(executionName(write.name));
  for (const launch of [s.first, s.second]) if (launch) used.add(executionName(launch.refusedTo));
  let name = 1;
  while (used.has(executionName(name))) name++;
  return name;
}
