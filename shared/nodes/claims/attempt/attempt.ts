/**
 * The attempt record: the one truth about money. It stands in an annotation on the claim, is written before the
 * provider is called, and changes only by patches conditional on the object it was read from.
 *
 * Everything here is pure: given what was read, may this step be taken, and what does the record say afterwards?
 * `test/model` drives these very functions through every interleaving; breaking one of them makes it fail.
 * The numbers in the comments are the rules of docs/attempts.md.
 */
import { defined } from '../../../base/defined.ts';
import type { OfferingRef } from '../choice/offerings.ts';

export interface AttemptRecord {
  /** The uid this record was written for: an annotation copied with a manifest to another claim means nothing. */
  uid: string;
  /** Counts up from 1 over the whole life of the uid; never used twice. */
  attempt: number;
  provider: string;
  /** Where that provider made its machines then; absent where it only ever has one place. */
  place?: string;
  offering: OfferingRef;
  state: 'open' | 'closed' | 'failed';
  /** How many executions were granted the right to write to the provider. */
  rights: number;
  /** The execution that was granted the last one. */
  holder: string;
  /** Who closed the attempt; only the closer moves on. */
  closer?: Closer;
  /** With `failed`: when it may be tried again, in milliseconds, and how many failures in a row led here. */
  retryAt?: number;
  failures?: number;
}

/** Who closed an attempt. Of two launches that meet at a closed attempt, the older leaves it to the newer. */
export interface Closer {
  /**
   * Names this one closing, not the launch: after a restore the same launch may close the same attempt again, and a
   * begin-create handed out after the first closing must not pass for one that followed the second.
   */
  id: string;
  epoch: number;
}

/** What the rules read from a claim. `undefined` in its place means that the API server has no such claim. */
export interface ClaimView {
  uid: string;
  deleting: boolean;
  /** Our finalizer is on it. */
  finalizer: boolean;
  record: AttemptRecord | undefined;
  /** The annotation is there but can't be understood: nobody may spend on such a claim. */
  unreadable?: boolean;
  /** Launched=True in the conditions, and the instance recorded with it. */
  launched: boolean;
  ready: boolean;
  providerID?: string;
}

/** What the rules read from an instance. */
export interface InstanceView {
  providerID: string;
  claimUid: string;
  attempt: number;
  deleting: boolean;
}

/** `claim-name`: one name serves all attempts. `none`: a repeated create makes a second machine. */
export type Idempotency = 'token' | 'name' | 'claim-name' | 'none';

export type Phase = 'none' | 'open' | 'closed' | 'launched' | 'ready' | 'failed';

export type Refusal =
  | 'gone'
  | 'deleting'
  | 'not-deleting'
  | 'unreadable'
  | 'at-rest'
  | 'closed'
  | 'not-closed'
  | 'moved-on'
  | 'right-taken'
  | 'not-cleared'
  | 'foreign-instance';

export type Verdict<T = object> = ({ ok: true } & T) | { ok: false; why: Refusal };

const no = (why: Refusal): { ok: false; why: Refusal } => ({ ok: false, why });

/** The record of this claim, or undefined when it has none of its own. */
function recordOf(claim: ClaimView): AttemptRecord | undefined {
  return claim.record?.uid === claim.uid ? claim.record : undefined;
}

export function phaseOf(claim: ClaimView): Phase {
  const record = recordOf(claim);
  if (!record) return 'none';
  if (record.state !== 'open') return record.state;
  // A new attempt is opened only after the status of the last one was cleared, so `launched` speaks of this attempt.
  if (claim.ready) return 'ready';
  return claim.launched ? 'launched' : 'open';
}

/** The claim is there, is the one we mean, and nobody is deleting it. */
function refuseUnlessAlive(claim: ClaimView | undefined, uid: string): Refusal | undefined {
  if (!claim || claim.uid !== uid) return 'gone';
  if (claim.deleting) return 'deleting';
  if (claim.unreadable) return 'unreadable';
  return undefined;
}

/** Where a launch begins, or begins again: after a restart, a refusal, or a lost history. */
export type Resume =
  | { do: 'end'; why: Refusal }
  | { do: 'begin'; attempt: number; offering?: OfferingRef; failures: number }
  /** A predecessor has been at it: look for what it made, and take that over (rule 11). */
  | { do: 'take-over' }
  | { do: 'register'; attempt: number; offering: OfferingRef; providerID: string }
  /** Closed by whoever: close it again under our own name, wait, look, discard (rule 3). */
  | { do: 'reclose'; attempt: number; offering: OfferingRef };

export function resumeLaunch(claim: ClaimView | undefined, uid: string, now: number, epoch = Infinity): Resume {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return { do: 'end', why: refusal ?? 'gone' };
  const record = recordOf(claim);
  if (hadPredecessor(claim)) return { do: 'take-over' };
  if (!record) return { do: 'begin', attempt: 1, failures: 0 };
  const { attempt, offering } = record;
  switch (phaseOf(claim)) {
    case 'ready':
      return { do: 'end', why: 'at-rest' };
    case 'failed':
      if ((record.retryAt ?? 0) > now) return { do: 'end', why: 'at-rest' };
      return { do: 'begin', attempt: attempt + 1, failures: record.failures ?? 1 };
    case 'closed':
      // Without this, two launches could take the closed attempt from each other for ever.
      if ((record.closer?.epoch ?? 0) > epoch) return { do: 'end', why: 'moved-on' };
      return { do: 'reclose', attempt, offering };
    case 'launched':
      return { do: 'register', attempt, offering, providerID: claim.providerID ?? '' };
    default:
      return { do: 'begin', attempt, offering, failures: record.failures ?? 0 };
  }
}

export interface WriteWish {
  uid: string;
  attempt: number;
  provider: string;
  place?: string;
  offering: OfferingRef;
  /** Names this one execution of the activity, not the workflow: a repeated execution takes a right of its own. */
  execution: string;
  /** The name under which the caller closed the attempt before this one. */
  closer?: Closer;
  idempotency: Idempotency;
  now: number;
}

/** Rule 1: the right to write, and with it a new attempt if this is one. Without it no provider is called. */
export function takeWriteRight(claim: ClaimView | undefined, wish: WriteWish): Verdict<{ record: AttemptRecord }> {
  const refusal = refuseUnlessAlive(claim, wish.uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  const opened: AttemptRecord = {
    uid: wish.uid,
    attempt: wish.attempt,
    provider: wish.provider,
    ...defined({ place: wish.place }),
    offering: wish.offering,
    state: 'open',
    rights: 1,
    holder: wish.execution,
    ...(record?.failures ? { failures: record.failures } : {}),
  };
  if (!record) {
    if (claim.launched) return no('foreign-instance');
    return wish.attempt === 1 ? { ok: true, record: opened } : no('moved-on');
  }
  if (record.attempt === wish.attempt) {
    if (record.state !== 'open') return no('closed');
    if (phaseOf(claim) !== 'open') return no('at-rest');
    // The attempt is bound to its offering: a token repeated with other parameters is an error at every cloud.
    if (!sameOffering(record.offering, wish.offering) || record.provider !== wish.provider) return no('moved-on');
    // A repeat at another place would not find what the first write has made.
    if (isElsewhere(record, wish.place)) return no('moved-on');
    // Rule 2: where nothing makes a repeat harmless, one right is all there is.
    if (wish.idempotency === 'none' && record.rights > 0) return no('right-taken');
    return { ok: true, record: { ...record, rights: record.rights + 1, holder: wish.execution } };
  }
  if (record.attempt !== wish.attempt - 1) return no('moved-on');
  if (claim.launched) return no('not-cleared');
  if (record.state === 'failed') {
    return (record.retryAt ?? 0) <= wish.now ? { ok: true, record: opened } : no('at-rest');
  }
  // Rule 3: only the closer moves on.
  if (record.state !== 'closed') return no('not-closed');
  return sameCloser(record.closer, wish.closer) ? { ok: true, record: opened } : no('moved-on');
}

/**
 * Rule 4: the record may have gone back (etcd was restored). Before the write, an instance of this uid under this or a
 * later attempt is adopted; one that is being deleted is waited for, because its name or tag may still be taken. Under
 * this very attempt too: the record may have forgotten the right that made it, or be about to name another offering.
 */
export type Look = { do: 'write' } | { do: 'wait' } | { do: 'adopt'; instance: InstanceView };

export function lookBeforeWrite(uid: string, attempt: number, instances: readonly InstanceView[]): Look {
  let adopt: InstanceView | undefined;
  for (const instance of instances) {
    if (instance.claimUid !== uid || instance.attempt < attempt) continue;
    if (instance.deleting) return { do: 'wait' };
    if (!adopt || instance.attempt > adopt.attempt) adopt = instance;
  }
  return adopt ? { do: 'adopt', instance: adopt } : { do: 'write' };
}

/** An instance that was there before its record, and where it was found. */
export type Bought = InstanceView & { provider: string; place?: string; offering: OfferingRef };

const foundRecord = ({ attempt, provider, place, offering, claimUid: uid }: Bought): AttemptRecord => ({
  uid,
  attempt,
  provider,
  ...defined({ place }),
  offering,
  state: 'open',
  rights: 2,
  holder: '',
});

/** Rule 4, second half: the record follows the instance. Two rights: nobody may count on having been the only one. */
export function adoptInstance(claim: ClaimView | undefined, instance: Bought): Verdict<{ record: AttemptRecord }> {
  const refusal = refuseUnlessAlive(claim, instance.claimUid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  if (record && record.attempt > instance.attempt) return no('moved-on');
  if (record?.attempt === instance.attempt) {
    if (record.state !== 'open') return no('closed');
    if (phaseOf(claim) !== 'open') return no('at-rest');
  }
  if (claim.launched) return no('not-cleared');
  return { ok: true, record: foundRecord(instance) };
}

/** Our own finalizer comes with a record, and so does Launched: who has one without the other had another provisioner. */
const hadPredecessor = (claim: ClaimView): boolean =>
  lacksItsRecord(claim) || (claim.finalizer && !claim.unreadable && recordOf(claim) === undefined);

/**
 * Rule 11: what a predecessor made for this very claim becomes the instance of its first attempt, as it is. The status stays:
 * a claim that was Ready is at rest from then on. Two rights, because nobody knows what the predecessor still had in flight.
 * What the status names must be that instance: any other is somebody else's, and so is the claim.
 */
export function takeOver(claim: ClaimView | undefined, instance: Bought): Verdict<{ record: AttemptRecord }> {
  const refusal = refuseUnlessAlive(claim, instance.claimUid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  if (!hadPredecessor(claim)) return no('moved-on');
  if (claim.launched && claim.providerID !== instance.providerID) return no('foreign-instance');
  return { ok: true, record: foundRecord(instance) };
}

/**
 * Rule 12: a person has a record that can't be read written anew, from the one instance that was found of this uid. Nobody may spend on
 * such a claim meanwhile, so nothing new comes beside it but what was on its way already: two rights, as for all that was found. What the
 * status names must be that instance, as in rule 11.
 */
export function rebuildRecord(claim: ClaimView | undefined, instance: Bought): Verdict<{ record: AttemptRecord }> {
  if (!claim || claim.uid !== instance.claimUid) return no('gone');
  if (claim.deleting) return no('deleting');
  // Somebody has repaired it meanwhile, and knew better.
  if (!claim.unreadable) return no('moved-on');
  if (claim.launched && claim.providerID !== instance.providerID) return no('foreign-instance');
  return { ok: true, record: foundRecord(instance) };
}

/** Rule 5: Launched needs the same attempt, not closed, and an instance that carries its tag. */
export function mayRecord(claim: ClaimView | undefined, uid: string, attempt: number, instance: InstanceView): Verdict {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const phase = phaseOf(claim);
  if (phase === 'ready' || phase === 'failed') return no('at-rest');
  if (recordOf(claim)?.attempt !== attempt) return no('moved-on');
  if (phase === 'closed') return no('closed');
  if (instance.claimUid !== uid || instance.attempt !== attempt) return no('foreign-instance');
  if (phase === 'launched' && claim.providerID !== instance.providerID) return no('moved-on');
  return { ok: true };
}

/**
 * Rule 5 for the stages after Launched: the recorded instance is the one whose node we look at. Where one name serves all
 * attempts, so may one providerID: pass the instance, and its tag is compared as well.
 */
export function mayRegister(
  claim: ClaimView | undefined,
  uid: string,
  attempt: number,
  providerID: string,
  instance?: InstanceView,
): Verdict {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const phase = phaseOf(claim);
  if (phase === 'ready' || phase === 'failed') return no('at-rest');
  if (phase !== 'launched' || recordOf(claim)?.attempt !== attempt || claim.providerID !== providerID)
    return no('moved-on');
  if (instance && (instance.claimUid !== uid || instance.attempt !== attempt)) return no('foreign-instance');
  return { ok: true };
}

/**
 * Rule 3: an attempt is closed before it is discarded or passed over. Then nobody else gets the right to write, and after
 * T plus lateness and lag (`settle`) nothing of it can appear any more. There is no wait (but still a look) if exactly one
 * right was granted, to the execution whose answer we hold, and that answer was a refusal such as "sold out".
 */
export function closeAttempt(
  claim: ClaimView | undefined,
  uid: string,
  attempt: number,
  closer: Closer,
  refusedTo?: string,
): Verdict<{ record: AttemptRecord; settle: boolean }> {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  if (record?.attempt !== attempt) return no('moved-on');
  const phase = phaseOf(claim);
  if (phase === 'ready' || phase === 'failed') return no('at-rest');
  if (phase === 'closed' && (record.closer?.epoch ?? 0) > closer.epoch) return no('moved-on');
  const answered = refusedTo !== undefined && record.rights === 1 && record.holder === refusedTo && phase === 'open';
  return { ok: true, record: { ...record, state: 'closed', closer }, settle: !answered };
}

/**
 * The status of an attempt that is over is cleared (Launched, Ready, providerID) before the next one opens: `launched`
 * speaks of the recorded attempt alone. A second write, because the status is a subresource of its own.
 */
export function mayClear(claim: ClaimView | undefined, uid: string, attempt: number): Verdict {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  if (record?.attempt !== attempt) return no('moved-on');
  return record.state === 'open' ? no('not-closed') : { ok: true };
}

/** Rule 6, launch: re-read right before each delete. */
export function mayDiscard(claim: ClaimView | undefined, uid: string, attempt: number): Verdict {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  if (record?.attempt !== attempt) return no('moved-on');
  return record.state === 'closed' ? { ok: true } : no('not-closed');
}

/** What a closed attempt's discard takes away: the instances that carry its number, and no other. */
export const ofAttempt = (uid: string, attempt: number, instances: readonly InstanceView[]): InstanceView[] =>
  instances.filter((instance) => instance.claimUid === uid && instance.attempt === attempt);

/** Rule 6, terminate: every instance of the uid goes, whatever its attempt, while the claim is being deleted. */
export function mayDiscardAll(claim: ClaimView | undefined, uid: string): Verdict {
  if (!claim || claim.uid !== uid) return no('gone');
  return claim.deleting ? { ok: true } : no('not-deleting');
}

export const ofClaim = (uid: string, instances: readonly InstanceView[]): InstanceView[] =>
  instances.filter((instance) => instance.claimUid === uid);

/** The closer has discarded everything and gives up for a while. */
export function failAttempt(
  claim: ClaimView | undefined,
  uid: string,
  attempt: number,
  closer: Closer,
  retryAt: number,
): Verdict<{ record: AttemptRecord }> {
  const may = mayDiscard(claim, uid, attempt);
  if (!may.ok) return may;
  const record = claim?.record;
  if (!record || !sameCloser(record.closer, closer)) return no('moved-on');
  if (claim.launched) return no('not-cleared');
  return { ok: true, record: { ...record, state: 'failed', retryAt, failures: (record.failures ?? 0) + 1 } };
}

/**
 * There is nothing to try: no attempt was opened, or the last one failed and nothing else can be had either.
 * Attempt 0 stands for "none yet": it costs nothing and needs no finalizer.
 */
export function postpone(
  claim: ClaimView | undefined,
  uid: string,
  retryAt: number,
): Verdict<{ record: AttemptRecord }> {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  if (record && record.state !== 'failed') return no('not-closed');
  if (claim.launched) return no('not-cleared');
  const none: AttemptRecord = {
    uid,
    attempt: 0,
    provider: '',
    offering: { instanceType: '', zone: '', capacityType: 'on-demand' },
    state: 'failed',
    rights: 0,
    holder: '',
  };
  return { ok: true, record: { ...(record ?? none), retryAt, failures: (record?.failures ?? 0) + 1 } };
}

/**
 * An instance of a launched or ready claim has vanished (rule 9): the attempt is over. If its instance came from the only
 * right, nothing of it is left and the claim rests until `retryAt`. If there were more rights, a write may still be on its
 * way and make the instance anew: the attempt is then closed by nobody, and the next launch closes it, waits and discards.
 */
export function loseInstance(
  claim: ClaimView | undefined,
  uid: string,
  providerID: string,
  retryAt: number,
): Verdict<{ record: AttemptRecord }> {
  const refusal = refuseUnlessAlive(claim, uid);
  if (refusal || !claim) return no(refusal ?? 'gone');
  const record = recordOf(claim);
  const phase = phaseOf(claim);
  if (!record || (phase !== 'launched' && phase !== 'ready') || claim.providerID !== providerID) return no('moved-on');
  const failures = (record.failures ?? 0) + 1;
  if (record.rights !== 1) return { ok: true, record: { ...record, state: 'closed', failures } };
  return { ok: true, record: { ...record, state: 'failed', retryAt, failures } };
}

/**
 * Rule 7: terminate waits as long as a closer would, unless nothing was ever written, or exactly one right was granted
 * and its instance is recorded; then that one is deleted by its id.
 */
export function terminateSettles(claim: ClaimView): boolean {
  const record = recordOf(claim);
  // Without a record nobody knows how many rights there were.
  if (!record || record.attempt === 0) return !neverBought(claim);
  const phase = phaseOf(claim);
  return !(record.rights === 1 && (phase === 'launched' || phase === 'ready'));
}

/** Nothing was ever written for this claim: no right was granted, and its status does not speak of a machine either. */
export const neverBought = (claim: ClaimView): boolean =>
  !claim.unreadable && !claim.launched && (recordOf(claim)?.attempt ?? 0) === 0;

/** Something may stand at the provider for this claim, or still come. A failed attempt was discarded before it failed. */
export const mayHaveInstance = (claim: ClaimView): boolean => {
  const record = recordOf(claim);
  return claim.unreadable === true || (record !== undefined && record.attempt > 0 && record.state !== 'failed');
};

/** It says Launched but carries no attempt: somebody else's provisioner made its machine, or our record was taken away. */
export const lacksItsRecord = (claim: ClaimView): boolean =>
  !claim.unreadable && claim.launched && (recordOf(claim)?.attempt ?? 0) === 0;

/** Rule 7: the finalizer goes only from a claim that is still being deleted. */
export const mayDropFinalizer = mayDiscardAll;

/** What garbage collection read where the instance's claim should be. Any other answer is no decision. */
export type ClaimReading = { found: 'absent' } | { found: 'other-uid' } | { found: 'claim'; claim: ClaimView };

/** Rule 9: has the claim moved past this instance, or is there none? Asked twice, a grace apart. */
export function isOrphan(reading: ClaimReading, instance: InstanceView): boolean {
  if (reading.found !== 'claim') return true;
  const { claim } = reading;
  const record = recordOf(claim);
  // A claim that is being deleted has its terminate; one without a record may have been restored: its launch looks first.
  if (claim.deleting || claim.unreadable || !record) return false;
  // It was postponed here and launched by somebody else: what it names was marked as ours, and its launch takes that over (rule 11).
  if (lacksItsRecord(claim) && claim.providerID === instance.providerID) return false;
  if (instance.attempt < record.attempt) return true;
  const phase = phaseOf(claim);
  if (phase === 'failed') return true;
  return (phase === 'launched' || phase === 'ready') && claim.providerID !== instance.providerID;
}

/** Rule 8: which workflow this claim needs when none runs; undefined for a claim at rest, which no old epoch touches. */
export function wantedWorkflow(claim: ClaimView | undefined, now: number): 'launch' | 'terminate' | undefined {
  if (!claim) return undefined;
  if (claim.deleting) return claim.finalizer ? 'terminate' : undefined;
  const resume = resumeLaunch(claim, claim.uid, now);
  return resume.do === 'end' ? undefined : 'launch';
}

const sameCloser = (a: Closer | undefined, b: Closer | undefined): boolean =>
  a !== undefined && a.id === b?.id && a.epoch === b.epoch;

export const sameOffering = (a: OfferingRef, b: OfferingRef): boolean =>
  a.instanceType === b.instanceType && a.zone === b.zone && a.capacityType === b.capacityType;

/**
 * Whether the attempt was begun at another place than its provider looks at now. Then nothing that is not found there says
 * anything about it. An attempt that has failed was cleared away before.
 */
export const isElsewhere = (record: AttemptRecord | undefined, place: string | undefined): boolean =>
  record?.place !== undefined && record.state !== 'failed' && record.place !== place;

/** Rule 3: the time after which nothing of a closed attempt can appear any more. */
export const settleSeconds = (traits: {
  writeSeconds: number;
  latenessSeconds: number;
  listLagSeconds: number;
}): number => traits.writeSeconds + traits.latenessSeconds + traits.listLagSeconds;
