/** One state of the model: a claim, a cloud, what is in flight, and what the adversary may still do. */
import type { AttemptRecord, ClaimView, Closer, InstanceView } from '../../shared/nodes/claims/attempt/attempt.ts';
import type { OfferingRef } from '../../shared/nodes/claims/choice/offerings.ts';

export const UID = 'u1';
export const PROVIDER = 'cloud';

/** A launch prefers the offering of its own slot, so two launches disagree about what to buy. */
export const OFFERINGS: readonly OfferingRef[] = ['a', 'b'].map((instanceType) => ({
  instanceType,
  zone: '',
  capacityType: 'on-demand' as const,
}));

export interface Instance {
  /** `gone` keeps its slot where an id or a token is remembered. */
  state: 'live' | 'deleting' | 'gone';
  attempt: number;
  offering: number;
  listed: boolean;
}

export interface Cloud {
  slots: readonly (Instance | null)[];
  /** A delete call that timed out at its caller and may still land. */
  lateDelete: { slot: number; attempt: number } | null;
}

/** One execution of begin-create that has its right and has not ended. */
export interface Write {
  attempt: number;
  offering: number;
  /** The execution's name in the record. */
  name: number;
  /** The launch that waits for the answer: 1 or 2, or 0 when nobody does. */
  owner: number;
  /** Its caller has given up; the effect may still land. */
  late: boolean;
  /** Took its right after the attempt had been opened by another execution. */
  repeated: boolean;
}

/** Bits of write slots and of unlisted instances that a wait has yet to outlast. */
export interface Waits {
  writes: number;
  unlisted: number;
}

export type LaunchStep =
  | 'resume'
  | 'begin'
  | 'answer'
  | 'settle-right'
  | 'look-right'
  | 'poll'
  | 'record'
  | 'register'
  | 'close'
  | 'clear'
  | 'wait'
  | 'discard'
  | 'deleting'
  | 'fail';

export interface Launch extends Waits {
  at: LaunchStep;
  epoch: number;
  attempt: number;
  offering: number;
  /** The instance this launch looks at, and the attempt it carried when it was looked at. */
  slot: number;
  tag: number;
  /** The outcome of a create is unknown. */
  unknown: boolean;
  /** No other offering would help: fail after the discard. */
  final: boolean;
  /** The execution whose "sold out" we hold, or 0. */
  refusedTo: number;
  /** The name under which this launch closed the attempt that it gives up or has passed, or 0. */
  closing: number;
}

export interface Terminate extends Waits {
  at: 'await-launches' | 'read' | 'wait' | 'discard' | 'deleting' | 'drop';
}

/** A person who has a record written anew, between the look and the write (rule 12). */
export interface Person {
  slot: number;
  attempt: number;
  offering: number;
}

/** Garbage collection between its two readings. */
export interface Collector {
  slot: number;
  attempt: number;
  /** Only when the second reading is not in the step that deletes. */
  decided: boolean;
}

/** The rest of the world. */
export interface World {
  nameTaken: boolean;
  now: number;
  launchEnded: boolean;
  terminateEnded: boolean;
}

/** A begin-create that was handed out: the engine may run it again, much later. */
export interface Wish {
  attempt: number;
  offering: number;
  epoch: number;
  closing: number;
}

export interface Budget {
  userDelete: number;
  lost: number;
  second: number;
  duplicate: number;
  repeat: number;
  strip: number;
  recreate: number;
  snapshot: number;
  restore: number;
  restoreToNothing: number;
  forget: number;
  late: number;
  lateDelete: number;
  kill: number;
  retry: number;
  corrupt: number;
  rebuild: number;
  restart: number;
}

export const noBudget: Budget = {
  userDelete: 0,
  lost: 0,
  second: 0,
  duplicate: 0,
  repeat: 0,
  strip: 0,
  recreate: 0,
  snapshot: 0,
  restore: 0,
  restoreToNothing: 0,
  forget: 0,
  late: 0,
  lateDelete: 0,
  kill: 0,
  retry: 0,
  corrupt: 0,
  rebuild: 0,
  restart: 0,
};

export interface State {
  claim: ClaimView | null;
  snapshot: ClaimView | null;
  cloud: Cloud;
  writes: readonly (Write | null)[];
  first: Launch | null;
  second: Launch | null;
  terminate: Terminate | null;
  /** A terminate that a person had started beside the first. */
  secondTerminate: Terminate | null;
  person: Person | null;
  collector: Collector | null;
  world: World;
  wishes: readonly Wish[];
  budget: Budget;
}

export const noWaits: Waits = { writes: 0, unlisted: 0 };

/** How far a predecessor had come with the claim when it was stopped. */
export type Predecessor = 'none' | 'began' | 'created' | 'launched' | 'ready';

export function initialState(budget: Budget, slots: number, writes: number, predecessor: Predecessor = 'none'): State {
  const launched = predecessor === 'launched' || predecessor === 'ready';
  const made: Instance | null =
    launched || predecessor === 'created' ? { state: 'live', attempt: 1, offering: 0, listed: true } : null;
  return {
    claim: {
      ...{ uid: UID, deleting: false, finalizer: predecessor !== 'none', record: undefined },
      ...{ launched, ready: predecessor === 'ready' },
      ...(launched ? { providerID: providerIDOf(0) } : {}),
    },
    snapshot: null,
    cloud: { slots: [made, ...Array<null>(slots - 1).fill(null)], lateDelete: null },
    writes: Array<null>(writes).fill(null),
    first: null,
    second: null,
    terminate: null,
    secondTerminate: null,
    person: null,
    collector: null,
    world: { nameTaken: false, now: 0, launchEnded: false, terminateEnded: false },
    wishes: [],
    budget,
  };
}

export const launchAt = (at: LaunchStep, epoch: number, more: Partial<Launch> = {}): Launch => ({
  at,
  epoch,
  attempt: 0,
  offering: 0,
  slot: 0,
  tag: 0,
  unknown: false,
  final: false,
  refusedTo: 0,
  closing: 0,
  writes: 0,
  unlisted: 0,
  ...more,
});

export type Slot = 1 | 2;
export const launchOf = (s: State, which: Slot): Launch | null => (which === 1 ? s.first : s.second);
export const withLaunch = (s: State, which: Slot, launch: Launch | null): State =>
  which === 1 ? { ...s, first: launch } : { ...s, second: launch };

export const closerOf = (epoch: number, closing: number): Closer => ({ id: `closing-${closing}`, epoch });
export const executionName = (name: number): string => `execution-${name}`;

export const alive = (instance: Instance | null | undefined): instance is Instance =>
  instance != null && instance.state !== 'gone';

export const providerIDOf = (slot: number): string => `cloud:///${slot}`;
export const slotOf = (providerID: string | undefined): number =>
  providerID === undefined ? -1 : Number(providerID.slice('cloud:///'.length));

export const viewOf = (instance: Instance, slot: number): InstanceView => ({
  providerID: providerIDOf(slot),
  claimUid: UID,
  attempt: instance.attempt,
  deleting: instance.state === 'deleting',
});

/** What a list shows. */
export function listed(cloud: Cloud): InstanceView[] {
  const views: InstanceView[] = [];
  for (const [slot, instance] of cloud.slots.entries())
    if (alive(instance) && instance.listed) views.push(viewOf(instance, slot));
  return views;
}

export const withRecord = (claim: ClaimView, record: AttemptRecord): ClaimView => ({ ...claim, record });

/** A claim as one text; equal texts mean equal claims. */
export function claimKey(claim: ClaimView): string {
  const { record } = claim;
  const flags = `${+claim.deleting}${+claim.finalizer}${+claim.launched}${+claim.ready}${claim.unreadable ? 1 : 0}`;
  const own = `${claim.uid}|${flags}|${claim.providerID ?? ''}`;
  if (!record) return own;
  const closer = record.closer ? `${record.closer.id},${record.closer.epoch}` : '';
  const offering = record.offering.instanceType;
  const rest = `${closer}|${record.retryAt ?? ''}|${record.failures ?? ''}`;
  return `${own}|${record.uid}|${record.attempt}|${offering}|${record.state}|${record.rights}|${record.holder}|${rest}`;
}
