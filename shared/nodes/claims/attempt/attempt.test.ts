import { fc, it as prop } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { formatRecord, parseRecord } from './annotation.ts';
import {
  type AttemptRecord,
  adoptInstance,
  type ClaimView,
  closeAttempt,
  failAttempt,
  type InstanceView,
  isOrphan,
  lookBeforeWrite,
  loseInstance,
  mayClear,
  mayDiscard,
  mayDiscardAll,
  mayDropFinalizer,
  mayRecord,
  mayRegister,
  ofAttempt,
  ofClaim,
  phaseOf,
  postpone,
  rebuildRecord,
  resumeLaunch,
  settleSeconds,
  takeOver,
  takeWriteRight,
  terminateSettles,
  type WriteWish,
  wantedWorkflow,
} from './attempt.ts';

const offering = { instanceType: 'a', zone: 'z', capacityType: 'spot' } as const;
const us = { id: 'closing-1', epoch: 2 };
const older = { id: 'closing-0', epoch: 1 };
const newer = { id: 'closing-9', epoch: 3 };

const aRecord = (more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...{ uid: 'u', attempt: 2, provider: 'p', offering, state: 'open', rights: 1, holder: 'e1' },
  ...more,
});
const aClaim = (record?: Partial<AttemptRecord>, more: Partial<ClaimView> = {}): ClaimView => ({
  ...{ uid: 'u', deleting: false, finalizer: true, launched: false, ready: false },
  record: record ? aRecord(record) : undefined,
  ...more,
});
const anInstance = (more: Partial<InstanceView> = {}): InstanceView => ({
  ...{ providerID: 'i', claimUid: 'u', attempt: 2, deleting: false },
  ...more,
});
const aWish = (more: Partial<WriteWish> = {}): WriteWish => ({
  ...{ uid: 'u', attempt: 2, provider: 'p', offering, execution: 'e2', idempotency: 'token', now: 100 },
  ...more,
});
const launched = { launched: true, providerID: 'i' };
const ready = { ...launched, ready: true };
const closed = { state: 'closed', closer: us } as const;
const failed = { state: 'failed', retryAt: 200, failures: 1 } as const;
const no = (why: string) => ({ ok: false, why });

describe('every step that spends or deletes', () => {
  const steps: Record<string, (claim: ClaimView | undefined) => { ok: boolean }> = {
    takeWriteRight: (claim) => takeWriteRight(claim, aWish()),
    adoptInstance: (claim) => adoptInstance(claim, { ...anInstance({ attempt: 3 }), provider: 'p', offering }),
    mayRecord: (claim) => mayRecord(claim, 'u', 2, anInstance()),
    mayRegister: (claim) => mayRegister(claim && { ...claim, ...launched }, 'u', 2, 'i'),
    closeAttempt: (claim) => closeAttempt(claim, 'u', 2, us),
    mayClear: (claim) => mayClear(claim, 'u', 2),
    mayDiscard: (claim) => mayDiscard(claim, 'u', 2),
    failAttempt: (claim) => failAttempt(claim, 'u', 2, us, 1),
    loseInstance: (claim) => loseInstance(claim, 'u', 'i', 1),
    postpone: (claim) => postpone(claim, 'u', 1),
  };
  for (const [name, step] of Object.entries(steps)) {
    it(`${name} refuses a claim that is gone, another, being deleted or unreadable`, () => {
      expect(step(undefined)).toEqual(no('gone'));
      expect(step(aClaim({}, { uid: 'v' }))).toEqual(no('gone'));
      expect(step(aClaim({}, { deleting: true }))).toEqual(no('deleting'));
      expect(step(aClaim(undefined, { unreadable: true }))).toEqual(no('unreadable'));
    });
  }
});

describe('a record copied from another claim', () => {
  const copied = aClaim({ uid: 'other', state: 'closed', closer: us });
  it('means nothing', () => {
    expect(phaseOf(copied)).toBe('none');
    expect(resumeLaunch({ ...copied, finalizer: false }, 'u', 0)).toEqual({ do: 'begin', attempt: 1, failures: 0 });
    expect(takeWriteRight(copied, aWish({ attempt: 1 }))).toMatchObject({ ok: true, record: { uid: 'u', rights: 1 } });
    expect(takeWriteRight(copied, aWish({ attempt: 3, closer: us }))).toEqual(no('moved-on'));
    expect(mayDiscard(copied, 'u', 2)).toEqual(no('moved-on'));
    expect(terminateSettles(copied)).toBe(false);
    expect(isOrphan({ found: 'claim', claim: copied }, anInstance({ attempt: 1 }))).toBe(false);
  });
});

describe('the right to write', () => {
  it('opens attempt 1 on a claim without a record, and no other', () => {
    expect(takeWriteRight(aClaim(), aWish({ attempt: 1 }))).toMatchObject({
      ok: true,
      record: { attempt: 1, holder: 'e2' },
    });
    expect(takeWriteRight(aClaim(), aWish())).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim(undefined, launched), aWish({ attempt: 1 }))).toEqual(no('foreign-instance'));
  });
  it('is counted, and names its execution', () => {
    expect(takeWriteRight(aClaim({}), aWish())).toMatchObject({
      ok: true,
      record: { attempt: 2, rights: 2, holder: 'e2' },
    });
  });
  it('is granted once where a repeat would make a second machine', () => {
    expect(takeWriteRight(aClaim({}), aWish({ idempotency: 'none' }))).toEqual(no('right-taken'));
  });
  it('is refused on an attempt that is closed, failed, at rest, passed, not reached, or for something else', () => {
    expect(takeWriteRight(aClaim(closed), aWish())).toEqual(no('closed'));
    expect(takeWriteRight(aClaim(failed), aWish())).toEqual(no('closed'));
    expect(takeWriteRight(aClaim({}, launched), aWish())).toEqual(no('at-rest'));
    expect(takeWriteRight(aClaim({}, ready), aWish())).toEqual(no('at-rest'));
    expect(takeWriteRight(aClaim({}), aWish({ attempt: 1 }))).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim(closed), aWish({ attempt: 4, closer: us }))).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim({}), aWish({ provider: 'q' }))).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim({}), aWish({ offering: { ...offering, zone: 'y' } }))).toEqual(no('moved-on'));
  });
  it('opens the next attempt to the one closing that came before it', () => {
    const next = aWish({ attempt: 3 });
    expect(takeWriteRight(aClaim(closed), { ...next, closer: us })).toMatchObject({
      ok: true,
      record: { attempt: 3, rights: 1 },
    });
    expect(takeWriteRight(aClaim(closed), { ...next, closer: { ...us, id: 'closing-2' } })).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim(closed), next)).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim({ state: 'closed' }), next)).toEqual(no('moved-on'));
    expect(takeWriteRight(aClaim({}), { ...next, closer: us })).toEqual(no('not-closed'));
    expect(takeWriteRight(aClaim(closed, launched), { ...next, closer: us })).toEqual(no('not-cleared'));
  });
  it('opens the attempt after a failure when its pause is over, and keeps the count of failures', () => {
    const next = aWish({ attempt: 3 });
    expect(takeWriteRight(aClaim(failed), next)).toEqual(no('at-rest'));
    expect(takeWriteRight(aClaim(failed), { ...next, now: 200 })).toMatchObject({ ok: true, record: { failures: 1 } });
  });
});

describe('the look before the write', () => {
  it('adopts the highest of this attempt and later ones, waits for what is leaving, and passes over the rest', () => {
    const look = (...instances: InstanceView[]) => lookBeforeWrite('u', 2, instances);
    expect(look(anInstance({ attempt: 1 }), anInstance({ claimUid: 'v', attempt: 3 }))).toEqual({ do: 'write' });
    expect(look(anInstance(), anInstance({ attempt: 3 }))).toMatchObject({ do: 'adopt', instance: { attempt: 3 } });
    expect(look(anInstance())).toMatchObject({ do: 'adopt', instance: { attempt: 2 } });
    expect(look(anInstance({ deleting: true }), anInstance({ attempt: 3 }))).toEqual({ do: 'wait' });
    expect(look(anInstance({ attempt: 1, deleting: true }))).toEqual({ do: 'write' });
  });
  it('moves the record forward only, and lets nobody believe to have been the only writer', () => {
    const adopt = (claim: ClaimView, attempt = 2) =>
      adoptInstance(claim, { ...anInstance({ attempt }), provider: 'p', offering });
    expect(adopt(aClaim())).toMatchObject({ ok: true, record: { attempt: 2, state: 'open', rights: 2 } });
    expect(adopt(aClaim(closed), 3)).toMatchObject({ ok: true, record: { attempt: 3, state: 'open' } });
    expect(adopt(aClaim({}))).toMatchObject({ ok: true, record: { attempt: 2, rights: 2 } });
    expect(adopt(aClaim({}), 1)).toEqual(no('moved-on'));
    expect(adopt(aClaim(closed))).toEqual(no('closed'));
    expect(adopt(aClaim({}, launched))).toEqual(no('at-rest'));
    expect(adopt(aClaim(closed, launched), 3)).toEqual(no('not-cleared'));
  });
});

describe('Launched and Ready', () => {
  it('need the recorded, open attempt and an instance that carries its tag', () => {
    const record = (claim: ClaimView, instance = anInstance(), attempt = 2) => mayRecord(claim, 'u', attempt, instance);
    expect(record(aClaim({}))).toEqual({ ok: true });
    expect(record(aClaim({}, launched))).toEqual({ ok: true });
    expect(record(aClaim({}, { ...launched, providerID: 'j' }))).toEqual(no('moved-on'));
    expect(record(aClaim({}), anInstance(), 1)).toEqual(no('moved-on'));
    expect(record(aClaim(closed))).toEqual(no('closed'));
    expect(record(aClaim(failed))).toEqual(no('at-rest'));
    expect(record(aClaim({}, ready))).toEqual(no('at-rest'));
    expect(record(aClaim({}), anInstance({ attempt: 1 }))).toEqual(no('foreign-instance'));
    expect(record(aClaim({}), anInstance({ claimUid: 'v' }))).toEqual(no('foreign-instance'));
  });
  it('follow the recorded instance alone', () => {
    expect(mayRegister(aClaim({}, launched), 'u', 2, 'i', anInstance())).toEqual({ ok: true });
    expect(mayRegister(aClaim({}, launched), 'u', 2, 'i', anInstance({ attempt: 3 }))).toEqual(no('foreign-instance'));
    expect(mayRegister(aClaim({}, launched), 'u', 2, 'j')).toEqual(no('moved-on'));
    expect(mayRegister(aClaim({}, launched), 'u', 1, 'i')).toEqual(no('moved-on'));
    expect(mayRegister(aClaim({}), 'u', 2, 'i')).toEqual(no('moved-on'));
    expect(mayRegister(aClaim({}, ready), 'u', 2, 'i')).toEqual(no('at-rest'));
  });
});

describe('closing', () => {
  it('needs no wait only after "sold out" to the one execution that ever had the right', () => {
    const settle = (claim: ClaimView, refusedTo?: string) => closeAttempt(claim, 'u', 2, us, refusedTo);
    expect(settle(aClaim({}), 'e1')).toMatchObject({
      ok: true,
      settle: false,
      record: { state: 'closed', closer: us },
    });
    expect(settle(aClaim({}))).toMatchObject({ settle: true });
    expect(settle(aClaim({}), 'e2')).toMatchObject({ settle: true });
    expect(settle(aClaim({ rights: 2 }), 'e1')).toMatchObject({ settle: true });
    expect(settle(aClaim({}, launched), 'e1')).toMatchObject({ settle: true });
    expect(settle(aClaim(closed), 'e1')).toMatchObject({ settle: true });
  });
  it('leaves claims at rest, passed attempts and newer closers alone', () => {
    expect(closeAttempt(aClaim({}, ready), 'u', 2, us)).toEqual(no('at-rest'));
    expect(closeAttempt(aClaim(failed), 'u', 2, us)).toEqual(no('at-rest'));
    expect(closeAttempt(aClaim({}), 'u', 1, us)).toEqual(no('moved-on'));
    expect(closeAttempt(aClaim({ state: 'closed', closer: newer }), 'u', 2, us)).toEqual(no('moved-on'));
    expect(closeAttempt(aClaim({ state: 'closed', closer: older }), 'u', 2, us)).toMatchObject({ ok: true });
  });
  it('is what clearing, discarding and failing wait for', () => {
    expect(mayClear(aClaim({}), 'u', 2)).toEqual(no('not-closed'));
    expect(mayClear(aClaim(closed), 'u', 1)).toEqual(no('moved-on'));
    expect(mayClear(aClaim(failed), 'u', 2)).toEqual({ ok: true });
    expect(mayDiscard(aClaim({}), 'u', 2)).toEqual(no('not-closed'));
    expect(mayDiscard(aClaim(failed), 'u', 2)).toEqual(no('not-closed'));
    expect(mayDiscard(aClaim(closed), 'u', 3)).toEqual(no('moved-on'));
    expect(mayDiscard(aClaim(closed), 'u', 2)).toEqual({ ok: true });
    expect(failAttempt(aClaim({}), 'u', 2, us, 1)).toEqual(no('not-closed'));
    expect(failAttempt(aClaim(closed), 'u', 2, older, 1)).toEqual(no('moved-on'));
    expect(failAttempt(aClaim(closed, launched), 'u', 2, us, 1)).toEqual(no('not-cleared'));
    expect(failAttempt(aClaim({ ...closed, failures: 2 }), 'u', 2, us, 7)).toMatchObject({
      record: { state: 'failed', retryAt: 7, failures: 3 },
    });
  });
});

describe('a vanished instance', () => {
  it('fails its attempt if it came from the only right, and closes it otherwise', () => {
    expect(loseInstance(aClaim({}, ready), 'u', 'i', 7)).toMatchObject({ record: { state: 'failed', retryAt: 7 } });
    const { closer: _, ...rest } = closed;
    expect(loseInstance(aClaim({ rights: 2 }, ready), 'u', 'i', 7)).toMatchObject({ record: { ...rest, failures: 1 } });
    expect(loseInstance(aClaim({}, ready), 'u', 'j', 7)).toEqual(no('moved-on'));
    expect(loseInstance(aClaim({}), 'u', 'i', 7)).toEqual(no('moved-on'));
    expect(wantedWorkflow(aClaim({ state: 'closed' }, ready), 0)).toBe('launch');
  });
});

describe('terminate', () => {
  it('waits unless nothing was written or the only write is recorded', () => {
    expect(terminateSettles(aClaim())).toBe(false);
    expect(terminateSettles(aClaim(undefined, { unreadable: true }))).toBe(true);
    expect(terminateSettles(aClaim({ attempt: 0, rights: 0, ...failed }))).toBe(false);
    expect(terminateSettles(aClaim({}))).toBe(true);
    expect(terminateSettles(aClaim({}, ready))).toBe(false);
    expect(terminateSettles(aClaim({ rights: 2 }, ready))).toBe(true);
    expect(terminateSettles(aClaim(closed, launched))).toBe(true);
    expect(settleSeconds({ writeSeconds: 1, latenessSeconds: 20, listLagSeconds: 300 })).toBe(321);
  });
  it('deletes and lets go only while the claim is being deleted', () => {
    for (const may of [mayDiscardAll, mayDropFinalizer]) {
      expect(may(aClaim({}, { deleting: true }), 'u')).toEqual({ ok: true });
      expect(may(aClaim({}), 'u')).toEqual(no('not-deleting'));
      expect(may(aClaim({}, { uid: 'v', deleting: true }), 'u')).toEqual(no('gone'));
      expect(may(undefined, 'u')).toEqual(no('gone'));
    }
  });
  it('takes everything of the uid; a launch takes one attempt', () => {
    const all = [anInstance(), anInstance({ attempt: 1 }), anInstance({ claimUid: 'v' })];
    expect(ofClaim('u', all)).toEqual(all.slice(0, 2));
    expect(ofAttempt('u', 2, all)).toEqual(all.slice(0, 1));
  });
});

describe('garbage collection', () => {
  const orphan = (claim: ClaimView, instance = anInstance()) => isOrphan({ found: 'claim', claim }, instance);
  it('takes what has no claim, and what its claim has moved past', () => {
    expect(isOrphan({ found: 'absent' }, anInstance())).toBe(true);
    expect(isOrphan({ found: 'other-uid' }, anInstance())).toBe(true);
    expect(orphan(aClaim({}), anInstance({ attempt: 1 }))).toBe(true);
    expect(orphan(aClaim(failed))).toBe(true);
    const postponed = { ...failed, attempt: 0, rights: 0 };
    expect(orphan(aClaim(postponed))).toBe(true);
    expect(orphan(aClaim(postponed, { ...launched, providerID: 'another' }))).toBe(true);
    // Marked as ours for a claim that was postponed here and launched by another provisioner.
    expect(orphan(aClaim(postponed, { ...launched, providerID: anInstance().providerID }))).toBe(false);
    expect(orphan(aClaim({}, ready), anInstance({ providerID: 'j' }))).toBe(true);
  });
  it('spares what may still be wanted, and what others see to', () => {
    expect(orphan(aClaim({}))).toBe(false);
    expect(orphan(aClaim({}), anInstance({ attempt: 3 }))).toBe(false);
    expect(orphan(aClaim(closed))).toBe(false);
    expect(orphan(aClaim({}, ready))).toBe(false);
    expect(orphan(aClaim())).toBe(false);
    expect(orphan(aClaim(undefined, { unreadable: true }))).toBe(false);
    expect(orphan(aClaim({ attempt: 3 }, { deleting: true }))).toBe(false);
  });
});

describe('a claim that another provisioner had before', () => {
  const theirs = (more: Partial<ClaimView>): ClaimView => ({ ...aClaim(undefined, more), finalizer: true });
  const found = { ...anInstance({ attempt: 1 }), provider: 'p', offering };

  it('is looked at before anything is bought for it', () => {
    expect(resumeLaunch(theirs({}), 'u', 0)).toEqual({ do: 'take-over' });
    expect(resumeLaunch(theirs(launched), 'u', 0)).toEqual({ do: 'take-over' });
    expect(resumeLaunch(theirs(ready), 'u', 0)).toEqual({ do: 'take-over' });
    expect(resumeLaunch(aClaim({ attempt: 0, state: 'failed' }, ready), 'u', 0)).toEqual({ do: 'take-over' });
    expect(wantedWorkflow(theirs(ready), 0)).toBe('launch');
  });
  it('gets what was made for it as its first attempt, and is then as far as it was', () => {
    const taken = takeOver(theirs(ready), found);
    expect(taken).toMatchObject({ ok: true, record: { attempt: 1, provider: 'p', state: 'open', rights: 2 } });
    const after = { ...theirs(ready), record: taken.ok ? taken.record : undefined };
    expect(wantedWorkflow(after, 0)).toBeUndefined();
    expect(terminateSettles(after)).toBe(true);
    expect(takeOver(after, found)).toEqual(no('moved-on'));
  });
  it('is not taken over with another machine than the one that it names, nor while it is deleted', () => {
    expect(takeOver(theirs(ready), { ...found, providerID: 'another' })).toEqual(no('foreign-instance'));
    expect(takeOver({ ...theirs(ready), deleting: true }, found)).toEqual(no('deleting'));
    expect(takeOver({ ...theirs({}), unreadable: true }, found)).toEqual(no('unreadable'));
    expect(takeOver(undefined, found)).toEqual(no('gone'));
  });
  it('is ours alone once it has an attempt', () => {
    expect(takeOver(aClaim({}), found)).toEqual(no('moved-on'));
    expect(takeOver({ ...aClaim(undefined), finalizer: false }, found)).toEqual(no('moved-on'));
  });
});

describe('where a launch begins', () => {
  it('is read off the claim', () => {
    expect(resumeLaunch(aClaim({}), 'u', 0)).toEqual({ do: 'begin', attempt: 2, offering, failures: 0 });
    expect(resumeLaunch(aClaim({}, launched), 'u', 0)).toMatchObject({ do: 'register', attempt: 2, providerID: 'i' });
    expect(resumeLaunch(aClaim({}, ready), 'u', 0)).toEqual({ do: 'end', why: 'at-rest' });
    expect(resumeLaunch(aClaim(failed), 'u', 199)).toEqual({ do: 'end', why: 'at-rest' });
    expect(resumeLaunch(aClaim(failed), 'u', 200)).toEqual({ do: 'begin', attempt: 3, failures: 1 });
    expect(resumeLaunch(aClaim(closed), 'u', 0, 2)).toMatchObject({ do: 'reclose', attempt: 2 });
    expect(resumeLaunch(aClaim({ state: 'closed', closer: newer }), 'u', 0, 2)).toEqual({ do: 'end', why: 'moved-on' });
  });
  it('is what resync asks for, and a claim at rest asks for nothing', () => {
    expect(wantedWorkflow(undefined, 0)).toBeUndefined();
    expect(wantedWorkflow(aClaim(), 0)).toBe('launch');
    expect(wantedWorkflow(aClaim({ state: 'closed', closer: newer }), 0)).toBe('launch');
    expect(wantedWorkflow(aClaim({}, ready), 0)).toBeUndefined();
    expect(wantedWorkflow(aClaim(failed), 0)).toBeUndefined();
    expect(wantedWorkflow(aClaim({}, { deleting: true }), 0)).toBe('terminate');
    expect(wantedWorkflow(aClaim({}, { deleting: true, finalizer: false }), 0)).toBeUndefined();
  });
});

describe('postponing', () => {
  it('puts a claim to rest without an attempt, or prolongs its rest', () => {
    const first = postpone(aClaim(), 'u', 5);
    expect(first).toMatchObject({
      ok: true,
      record: { attempt: 0, rights: 0, state: 'failed', retryAt: 5, failures: 1 },
    });
    expect(postpone(aClaim(failed), 'u', 500)).toMatchObject({ record: { attempt: 2, retryAt: 500, failures: 2 } });
    expect(postpone(aClaim({}), 'u', 5)).toEqual(no('not-closed'));
    expect(postpone(aClaim(failed, launched), 'u', 5)).toEqual(no('not-cleared'));
    if (first.ok)
      expect(takeWriteRight({ ...aClaim(), record: first.record }, aWish({ attempt: 1 }))).toMatchObject({ ok: true });
  });
});

describe('the annotation', () => {
  const text = fc.string({ maxLength: 20 });
  const records: fc.Arbitrary<AttemptRecord> = fc
    .record(
      {
        ...{ uid: fc.constant('u'), attempt: fc.integer({ min: 1, max: 99 }), provider: text, holder: text },
        offering: fc.record({ instanceType: text, zone: text, capacityType: fc.constantFrom('spot', 'on-demand') }),
        ...{ state: fc.constantFrom('open', 'closed', 'failed'), rights: fc.integer({ min: 1, max: 9 }) },
        closer: fc.record({ id: fc.string({ minLength: 1, maxLength: 9 }), epoch: fc.nat() }),
        ...{ retryAt: fc.nat(), failures: fc.nat() },
      },
      { requiredKeys: ['uid', 'attempt', 'provider', 'holder', 'offering', 'state', 'rights', 'retryAt'] },
    )
    .map((record) => record as AttemptRecord);

  prop.prop([records])('is read back as it was written, and only by its own claim', (record) => {
    expect(parseRecord(formatRecord(record), 'u')).toEqual({ record });
    expect(parseRecord(formatRecord(record), 'v')).toEqual({ none: true });
  });
  prop.prop([fc.oneof(fc.string(), fc.json())])('gives an answer to any text', (any) => {
    expect(Object.keys(parseRecord(any, 'u'))).toHaveLength(1);
  });
  it('is unreadable unless all of it is understood, and says where', () => {
    const unreadable = (change: object) => parseRecord(JSON.stringify({ ...aRecord(), ...change }), 'u');
    expect(parseRecord(undefined, 'u')).toEqual({ none: true });
    expect(parseRecord('', 'u')).toEqual({ unreadable: 'it is not JSON' });
    expect(parseRecord('null', 'u')).toHaveProperty('unreadable');
    expect(parseRecord(' '.repeat(5000), 'u')).toEqual({ unreadable: 'it is longer than 4096 characters' });
    expect(unreadable({ more: 1 })).toHaveProperty('unreadable');
    expect(unreadable({ rights: 0 })).toHaveProperty('unreadable');
    expect(unreadable({ attempt: 1.5 })).toHaveProperty('unreadable', expect.stringContaining('attempt'));
    expect(unreadable({ state: 'ajar' })).toHaveProperty('unreadable', expect.stringContaining('state'));
    expect(unreadable({ state: 'failed' })).toHaveProperty('unreadable', expect.stringContaining('retryAt'));
    expect(unreadable({ attempt: 0 })).toHaveProperty('unreadable');
    expect(unreadable({ attempt: 0, rights: 0, ...failed })).toHaveProperty('record');
  });
});

describe('a record that a person has written anew (rule 12)', () => {
  const found = { ...anInstance(), provider: 'p', offering };
  const garbled = { unreadable: true };

  it('follows the one instance that was found, and counts two rights', () => {
    const record = aRecord({ rights: 2, holder: '' });
    expect(rebuildRecord(aClaim(undefined, garbled), found)).toEqual({ ok: true, record });
    expect(rebuildRecord(aClaim(undefined, { ...ready, ...garbled }), found)).toEqual({ ok: true, record });
  });

  it.each<[string, ClaimView | undefined]>([
    ['gone', undefined],
    ['gone', aClaim(undefined, { ...garbled, uid: 'another' })],
    ['deleting', aClaim(undefined, { ...garbled, deleting: true })],
    ['moved-on', aClaim({})],
    ['moved-on', aClaim()],
    ['foreign-instance', aClaim(undefined, { ...garbled, launched: true, providerID: 'another' })],
  ])('is refused as %s', (why, claim) => {
    expect(rebuildRecord(claim, found)).toEqual(no(why));
  });
});
