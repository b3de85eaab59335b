/** The rules, broken one at a time. For each there is a configuration in which the model must notice, and what it must see. */
import type { AttemptRecord, ClaimView, Verdict } from '../../shared/nodes/claims/attempt/attempt.ts';
import type { Property } from './properties.ts';
import type { Rules } from './rules.ts';
import type { Change } from './setup.ts';
import { OFFERINGS } from './state.ts';

export interface Mutation {
  name: string;
  change: Change;
  /** The configuration that shows it, and the property that breaks there. */
  shownBy: string;
  breaks: Property;
}

const always = (claim: ClaimView | undefined): Verdict => (claim ? { ok: true } : { ok: false, why: 'gone' });

/** The claim as it would be read if one thing about its record or itself were different. */
const reading = (claim: ClaimView | undefined, change: Partial<ClaimView>): ClaimView | undefined =>
  claim && { ...claim, ...change };
const recording = (claim: ClaimView | undefined, change: Partial<AttemptRecord>): ClaimView | undefined =>
  claim?.record ? { ...claim, record: { ...claim.record, ...change } } : claim;

const rule = (rules: (real: Rules) => Partial<Rules>): Change => ({ rules });

export const mutations: readonly Mutation[] = [
  {
    name: '11: what a predecessor made is not taken over, but bought anew',
    change: rule((real) => ({
      resumeLaunch: (claim, uid, now, epoch) => {
        const resume = real.resumeLaunch(claim, uid, now, epoch);
        return resume.do === 'take-over' ? { do: 'begin', attempt: 1, failures: 0 } : resume;
      },
    })),
    shownBy: 'taken over, launched / claim-name',
    breaks: 'live',
  },
  {
    name: '1: the right to write is not counted on the claim',
    change: { program: { takesRightByPatch: false } },
    shownBy: 'plain / token',
    breaks: 'live',
  },
  {
    name: '1: the right is granted again without being counted',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) => {
        const verdict = real.takeWriteRight(claim, wish);
        return verdict.ok ? { ok: true, record: { ...verdict.record, rights: 1 } } : verdict;
      },
    })),
    shownBy: 'repeat / token',
    breaks: 'P1',
  },
  {
    name: '1: the right does not name its execution',
    change: rule((real) => ({
      closeAttempt: (claim, uid, attempt, closer, refusedTo) =>
        real.closeAttempt(claim, uid, attempt, closer, refusedTo && (claim?.record?.holder ?? refusedTo)),
    })),
    shownBy: 'restore, two launches / token',
    breaks: 'P1',
  },
  {
    name: '1: a closed attempt still grants rights',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) =>
        claim?.record?.state === 'closed' && claim.record.attempt === wish.attempt
          ? { ok: true, record: { ...claim.record, rights: claim.record.rights + 1, holder: wish.execution } }
          : real.takeWriteRight(claim, wish),
    })),
    shownBy: 'duplicate / token',
    breaks: 'P1',
  },
  {
    name: '1: a claim that is being deleted still grants rights',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) => real.takeWriteRight(reading(claim, { deleting: false }), wish),
    })),
    shownBy: 'duplicate / token',
    breaks: 'P4',
  },
  {
    name: '1: an attempt that was passed still grants rights',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) =>
        claim?.record && claim.record.attempt > wish.attempt && !claim.deleting
          ? { ok: true, record: { ...claim.record, rights: claim.record.rights + 1, holder: wish.execution } }
          : real.takeWriteRight(claim, wish),
    })),
    shownBy: 'duplicate / token',
    breaks: 'P1',
  },
  {
    name: '1: the offering of an attempt may change',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) =>
        claim?.record?.attempt === wish.attempt
          ? real.takeWriteRight(claim, { ...wish, offering: claim.record.offering })
          : real.takeWriteRight(claim, wish),
    })),
    shownBy: 'second launch / token',
    breaks: 'P6',
  },
  {
    name: '2: a second right is granted without any idempotency',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) => real.takeWriteRight(claim, { ...wish, idempotency: 'token' }),
    })),
    shownBy: 'repeat / none',
    breaks: 'P1',
  },
  {
    name: "2: another attempt's instance under the one name passes for a success",
    change: { program: { otherAttemptConflicts: false }, rules: () => ({ mayRecord: always, mayRegister: always }) },
    shownBy: 'late beyond the bound / claim-name',
    breaks: 'P6',
  },
  {
    name: '3: no wait after closing',
    change: rule((real) => ({
      closeAttempt: (...args) => {
        const verdict = real.closeAttempt(...args);
        return verdict.ok ? { ...verdict, settle: false } : verdict;
      },
    })),
    shownBy: 'repeat / token',
    breaks: 'P1',
  },
  {
    name: '3: "sold out" counts although others had the right',
    change: rule((real) => ({
      closeAttempt: (claim, uid, attempt, closer, refusedTo) => {
        const verdict = real.closeAttempt(claim, uid, attempt, closer, refusedTo);
        return verdict.ok ? { ...verdict, settle: refusedTo === undefined } : verdict;
      },
    })),
    shownBy: 'repeat / token',
    breaks: 'P1',
  },
  {
    name: '3: the wait does not cover the time limit of a write',
    change: rule(() => ({ settleSeconds: ({ latenessSeconds, listLagSeconds }) => latenessSeconds + listLagSeconds })),
    shownBy: 'repeat / token',
    breaks: 'P1',
  },
  {
    name: '3: the wait does not cover lateness',
    change: rule(() => ({ settleSeconds: ({ writeSeconds, listLagSeconds }) => writeSeconds + listLagSeconds })),
    shownBy: 'late effect / token',
    breaks: 'P1',
  },
  {
    name: '3: the wait does not cover the lag of the list',
    change: rule(() => ({ settleSeconds: ({ writeSeconds, latenessSeconds }) => writeSeconds + latenessSeconds })),
    shownBy: 'plain / none',
    breaks: 'P1',
  },
  {
    name: '3: the time limit runs from the opening of the attempt',
    change: { program: { limitRunsFromRight: false } },
    shownBy: 'duplicate / token',
    breaks: 'P1',
  },
  {
    name: '3: anybody moves on from a closed attempt',
    change: rule((real) => ({
      takeWriteRight: (claim, wish) => {
        const closer = claim?.record?.closer;
        return real.takeWriteRight(claim, closer ? { ...wish, closer } : wish);
      },
    })),
    shownBy: 'restore, two launches / token',
    breaks: 'P1',
  },
  {
    name: '3: the closer names the launch and not the closing',
    change: { program: { namesEachClosing: false } },
    shownBy: 'restore, duplicate / token',
    breaks: 'P1',
  },
  {
    name: '3: an attempt is passed over without being closed',
    change: rule((real) => ({
      closeAttempt: (...args) => {
        const verdict = real.closeAttempt(...args);
        return verdict.ok ? { ...verdict, record: { ...verdict.record, state: 'open' } } : verdict;
      },
      mayDiscard: (claim, uid, attempt) => real.mayDiscard(recording(claim, { state: 'closed' }), uid, attempt),
      takeWriteRight: (claim, wish) =>
        claim?.record?.attempt === wish.attempt - 1
          ? real.takeWriteRight(recording(claim, { state: 'closed' }), wish)
          : real.takeWriteRight(claim, wish),
    })),
    shownBy: 'duplicate / token',
    breaks: 'P1',
  },
  {
    name: '3: whoever finds an attempt closed moves on without closing it again',
    change: rule((real) => ({
      resumeLaunch: (claim, uid, now, epoch) => {
        const resume = real.resumeLaunch(claim, uid, now, epoch);
        return resume.do === 'reclose' ? { do: 'begin', attempt: resume.attempt + 1, failures: 0 } : resume;
      },
    })),
    shownBy: 'lost / token',
    breaks: 'live',
  },
  {
    name: '3: the next attempt opens while the status still speaks of the last',
    change: rule((real) => ({
      mayClear: () => ({ ok: false, why: 'moved-on' }),
      takeWriteRight: (claim, wish) =>
        claim?.record?.attempt === wish.attempt - 1
          ? real.takeWriteRight(reading(claim, { launched: false }), wish)
          : real.takeWriteRight(claim, wish),
    })),
    shownBy: 'spot and retry / token',
    breaks: 'P3',
  },
  {
    name: '4: no look before the write',
    change: { looks: false },
    shownBy: 'restore / token',
    breaks: 'P1',
  },
  {
    name: '4: the look does not see this very attempt',
    change: rule((real) => ({
      lookBeforeWrite: (uid, attempt, instances) => real.lookBeforeWrite(uid, attempt + 1, instances),
    })),
    shownBy: 'restore / none',
    breaks: 'P1',
  },
  {
    name: '4: what is being deleted is not waited for',
    change: rule((real) => ({
      lookBeforeWrite: (uid, attempt, instances) =>
        real.lookBeforeWrite(
          uid,
          attempt,
          instances.filter((instance) => !instance.deleting),
        ),
    })),
    shownBy: 'restore / none',
    breaks: 'P1',
  },
  {
    name: '5: Launched is recorded on a closed attempt',
    change: rule((real) => ({
      mayRecord: (claim, ...rest) => real.mayRecord(recording(claim, { state: 'open' }), ...rest),
      mayRegister: (claim, ...rest) => real.mayRegister(recording(claim, { state: 'open' }), ...rest),
    })),
    shownBy: 'second launch / token',
    breaks: 'P6',
  },
  {
    name: '5: Launched is recorded for another attempt',
    change: rule((real) => ({
      mayRecord: (claim, uid, _, instance) =>
        real.mayRecord(claim, uid, claim?.record?.attempt ?? 0, { ...instance, attempt: claim?.record?.attempt ?? 0 }),
      mayRegister: (claim, uid, _, providerID) => real.mayRegister(claim, uid, claim?.record?.attempt ?? 0, providerID),
    })),
    shownBy: 'restore, duplicate / token',
    breaks: 'P6',
  },
  {
    name: '5: Ready does not compare the tag of the instance',
    change: rule((real) => ({
      mayRegister: (claim, uid, attempt, providerID) => real.mayRegister(claim, uid, attempt, providerID),
    })),
    shownBy: 'restore / claim-name',
    breaks: 'P6',
  },
  {
    name: '6: discard does not read the claim again',
    change: rule(() => ({ mayDiscard: always })),
    shownBy: 'restore, two launches / token',
    breaks: 'P5',
  },
  {
    name: '6: a late delete does not say which attempt it means',
    change: { program: { deletesByTag: false } },
    shownBy: 'late delete / claim-name',
    breaks: 'P5',
  },
  {
    name: '7: terminate does not wait',
    change: rule(() => ({ terminateSettles: () => false })),
    shownBy: 'repeat / token',
    breaks: 'P4',
  },
  {
    name: '7: terminate does not wait when an instance is recorded, however many rights there were',
    change: rule((real) => ({
      terminateSettles: (claim) => real.terminateSettles(recording(claim, { rights: 1 }) ?? claim),
    })),
    shownBy: 'repeat / name',
    breaks: 'P4',
  },
  {
    name: '7: terminate does not wait when the record cannot be read',
    change: rule((real) => ({ terminateSettles: (claim) => !claim.unreadable && real.terminateSettles(claim) })),
    shownBy: 'garbled / token',
    breaks: 'P4',
  },
  {
    name: '7: terminate takes the instances of the recorded attempt only',
    change: rule((real) => ({ ofClaim: (uid, instances) => real.ofAttempt(uid, 1, instances) })),
    shownBy: 'plain / token',
    breaks: 'P4',
  },
  {
    name: '7: terminate does not delete the recorded instance by its id',
    change: { program: { deletesById: false } },
    shownBy: 'plain / none',
    breaks: 'P4',
  },
  {
    name: '7: the finalizer is dropped from a claim that is not being deleted any more',
    change: rule(() => ({ mayDropFinalizer: always })),
    shownBy: 'restore / token',
    breaks: 'P4',
  },
  {
    name: '7: terminate deletes although the claim is not being deleted any more',
    change: rule(() => ({ mayDiscardAll: always })),
    shownBy: 'restore / token',
    breaks: 'P5',
  },
  {
    name: '8: a launch that ended normally is not started again',
    change: { program: { startsAfterEnd: false } },
    shownBy: 'restore / token',
    breaks: 'P3',
  },
  {
    name: '8: resync leaves a closed attempt alone',
    change: rule((real) => ({
      wantedWorkflow: (claim, now) =>
        claim?.record?.state === 'closed' && !claim.deleting ? undefined : real.wantedWorkflow(claim, now),
    })),
    shownBy: 'lost / token',
    breaks: 'P3',
  },
  {
    name: '8: resync does not start terminate',
    change: rule((real) => ({
      wantedWorkflow: (claim, now) => (claim?.deleting ? undefined : real.wantedWorkflow(claim, now)),
    })),
    shownBy: 'plain / token',
    breaks: 'P3',
  },
  {
    name: '8: a claim that failed is touched before its time',
    change: rule((real) => ({
      resumeLaunch: (claim, uid, _, epoch) => real.resumeLaunch(claim, uid, Infinity, epoch),
      wantedWorkflow: (claim) => real.wantedWorkflow(claim, Infinity),
    })),
    shownBy: 'plain / token',
    breaks: 'live',
  },
  {
    name: '8: a Ready claim is launched again',
    change: rule((real) => ({
      resumeLaunch: (claim, uid, now, epoch) => real.resumeLaunch(reading(claim, { ready: false }), uid, now, epoch),
      closeAttempt: (claim, ...rest) => real.closeAttempt(reading(claim, { ready: false }), ...rest),
      mayRegister: (claim, ...rest) => real.mayRegister(reading(claim, { ready: false }), ...rest),
    })),
    shownBy: 'second launch / token',
    breaks: 'P5',
  },
  {
    name: '8: a claim whose record cannot be read is launched',
    change: rule((real) => ({
      resumeLaunch: (claim, ...rest) => real.resumeLaunch(reading(claim, { unreadable: false }), ...rest),
      takeWriteRight: (claim, wish) => real.takeWriteRight(reading(claim, { unreadable: false }), wish),
      wantedWorkflow: (claim, now) => real.wantedWorkflow(reading(claim, { unreadable: false }), now),
    })),
    shownBy: 'garbled / token',
    breaks: 'P1',
  },
  {
    name: '9: garbage collection spares what another uid under the name left behind',
    change: rule((real) => ({
      isOrphan: (reading, instance) => reading.found !== 'other-uid' && real.isOrphan(reading, instance),
    })),
    shownBy: 'force / token',
    breaks: 'P2',
  },
  {
    name: '9: garbage collection spares what the claim has moved past',
    change: rule((real) => ({
      isOrphan: (reading, instance) => reading.found !== 'claim' && real.isOrphan(reading, instance),
    })),
    shownBy: 'restore / token',
    breaks: 'P3',
  },
  {
    name: '9: garbage collection deletes some time after its second reading',
    change: { program: { collectorReadsWithDelete: false } },
    shownBy: 'restore, retry / token',
    breaks: 'P5',
  },
  {
    name: '9: a vanished instance is not noticed',
    change: rule(() => ({ loseInstance: () => ({ ok: false, why: 'moved-on' }) })),
    shownBy: 'spot and retry / token',
    breaks: 'P3',
  },
  {
    name: '9: a vanished instance fails its attempt at once, however many rights there were',
    change: rule((real) => ({
      loseInstance: (claim, uid, providerID, retryAt) => {
        const verdict = real.loseInstance(claim, uid, providerID, retryAt);
        return verdict.ok ? { ok: true, record: { ...verdict.record, state: 'failed', retryAt } } : verdict;
      },
    })),
    shownBy: 'spot and retry / name',
    breaks: 'P1',
  },
  {
    name: '12: the record that is written anew counts one right',
    change: rule((real) => ({
      rebuildRecord: (claim, instance) => {
        const verdict = real.rebuildRecord(claim, instance);
        return verdict.ok ? { ok: true, record: { ...verdict.record, rights: 1 } } : verdict;
      },
    })),
    shownBy: 'garbled, rebuilt / name',
    breaks: 'P4',
  },
  {
    name: '12: the record that is written anew begins with the first attempt',
    change: rule((real) => ({
      rebuildRecord: (claim, instance) => real.rebuildRecord(claim, { ...instance, attempt: 1 }),
    })),
    shownBy: 'garbled, rebuilt / token',
    breaks: 'P1',
  },
  {
    name: '12: the record that is written anew counts the attempt as a new one',
    change: rule((real) => ({
      rebuildRecord: (claim, instance) => real.rebuildRecord(claim, { ...instance, attempt: instance.attempt + 1 }),
    })),
    shownBy: 'garbled, rebuilt / claim-name',
    breaks: 'P5',
  },
  {
    name: '12: the record that is written anew names another offering than the instance',
    change: rule((real) => ({
      rebuildRecord: (claim, instance) =>
        real.rebuildRecord(claim, { ...instance, offering: OFFERINGS.find((one) => one !== instance.offering)! }),
    })),
    shownBy: 'garbled, rebuilt / name',
    breaks: 'P6',
  },
  {
    name: '12: a record that can be read again is written over',
    change: rule((real) => ({
      rebuildRecord: (claim, instance) => real.rebuildRecord(reading(claim, { unreadable: true }), instance),
    })),
    shownBy: 'garbled, rebuilt, restored / name',
    breaks: 'P1',
  },
];
