/** beginCreate: take the right to write (rule 1), then call the provider at once, within T. */

import { defined } from '../../../base/defined.ts';
import type { Failure, Result } from '../../../base/result.ts';
import type { ClaimFacts, CreateProgress, CreateRequest, Instance } from '../../../providers/contract.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { formatRecord } from '../../claims/attempt/annotation.ts';
import {
  type AttemptRecord,
  adoptInstance,
  type ClaimView,
  lookBeforeWrite,
  mayRecord,
  settleSeconds,
  takeWriteRight,
} from '../../claims/attempt/attempt.ts';
import { claimScopedName, instanceName, instanceToken } from '../../claims/attempt/names.ts';
import { offeringRef } from '../../claims/choice/offerings.ts';
import { decide, pauseAfter } from '../../claims/decisions.ts';
import { unregisteredTaint } from '../../claims/spec/taints.ts';
import { annotations, terminationFinalizer } from '../../claims/spec/well-known.ts';
import { readNodeClass } from '../../offerings/node-class.ts';
import { lookUpPrice, priceChange } from '../../offerings/price.ts';
import { markFailed, markRefused } from '../../offerings/unavailable-offerings.ts';
import { endOperationTurn, keepOperationTurn, keepsTurn, takeOperationTurn } from '../../pauses/operation-turns.ts';
import { pausedBy } from '../../pauses/pauses.ts';
import { againAfter } from '../../steps/again.ts';
import type { BeginCreateInput, Begun } from '../../steps/answers.ts';
import {
  type ClaimChange,
  type ClaimRead,
  changeClaim,
  readClaim,
  type StoredClaim,
  takeClaim,
  viewOf,
} from '../../steps/claim-access.ts';
import { handOver } from '../../steps/claim-handover.ts';
import { viewInstance } from '../../steps/instance-view.ts';
import { findPlace, heldElsewhere, isAgain, type Place, placeOf, withoutProvider } from '../../steps/lookup.ts';
import { labelsFor, takesAlternatives, unsureLabels } from '../../steps/machine-labels.ts';
import { nodePoolOf } from '../../steps/pool-owner.ts';
import { servingAs } from '../../steps/provider-choice.ts';
import { callDetail } from '../../steps/report/call-detail.ts';
import { tellSometimes } from '../../steps/report/claim-events.ts';
import { decided } from '../../steps/report/decision-log.ts';
import { type ClaimRef, type ClusterServices, type LifecycleServices, logFor } from '../../steps/services.ts';
import { unwritten } from '../../steps/unwritten.ts';
import { sayLaunching, sayWaiting } from '../../steps/waiting.ts';
import { foundSeconds } from '../create.ts';

/** How often a released brake is looked for. */
const pausedSeconds = 15;
const nameTaken = 'NameTaken';
/** A cloud that says so long before anything can be asked: the claim says meanwhile that it is being launched. */
const longSeconds = 30;

export const beginCreate =
  (services: LifecycleServices) =>
  async (input: BeginCreateInput, context: ActivityContext): Promise<Begun> => {
    const { ref, attempt, offering } = input;
    const place = await findPlace(services, ref, input.provider);
    if (isAgain(place)) return place;
    const { cluster, provider, owner } = place;
    /** Nothing is under way, and nothing will be by this answer: whoever waits for a turn may have it. */
    const withoutTurn = async (begun: Begun): Promise<Begun> => {
      await endOperationTurn(services, place, ref.uid);
      return begun;
    };

    const read = await readToBegin(services, cluster, ref, context.signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return withoutTurn({ do: 'refused', why: 'gone' });
    const served = servingAs(cluster, read.claim, provider.name);
    if (read.view.deleting || !served) {
      // Before the node class is asked for: who deletes both at once must not wait for the class to come back.
      const refused: Begun = { do: 'refused', why: read.view.deleting ? 'deleting' : 'moved-on' };
      // What an earlier execution began may still run: its turn goes on with whoever takes it away.
      return mayHaveBegun(read.view, attempt) ? refused : withoutTurn(refused);
    }
    const elsewhere = await heldElsewhere(services, place, ref, read.view.record);
    if (elsewhere) return withoutTurn(elsewhere);
    const where = await placeOf(provider);
    if (!where.ok) {
      const { kind, message } = where.error;
      const wait =
        kind === 'invalid' ? await withoutProvider(services, cluster, ref, message) : againAfter(where.error, 10);
      return withoutTurn(wait);
    }
    const at = where.value === undefined ? {} : { place: where.value };
    // Here too, because a create that the cloud puts off is begun again for hours without another choice.
    const paused = await pausedBy(services, cluster, provider.name);
    if (paused) {
      const made = await madeBefore(services, place, input, read.view, context);
      if (made) return made;
      await sayWaiting(services, cluster, ref, 'Paused', paused, context.signal);
      return withoutTurn({ do: 'again', seconds: pausedSeconds * (0.75 + services.random() / 2), why: paused });
    }
    const nodeClass = await readNodeClass(
      services,
      cluster,
      served.resource,
      read.claim.spec.nodeClassRef,
      context.signal,
    );
    if (!nodeClass.ok) return againAfter(nodeClass.error, 10);
    const noTurn = await takeOperationTurn(services, place, ref, 'launch');
    if (noTurn) {
      await sayWaiting(services, cluster, ref, 'WaitingForTurn', noTurn.why, context.signal);
      await decided(services, ref, 'operation-waits', { message: noTurn.why });
      return { do: 'again', ...noTurn };
    }

    const looks = mayHaveBeenRestored(services, read.claim);
    if (looks) {
      const adopted = await lookFirst(services, place, input, read.claim, at, context);
      if (adopted) return adopted;
    }

    const room = await provider.roomToCreate?.(instanceToken(ref.uid, attempt), context.signal);
    if (room?.ok === false) {
      const later = await putOff(services, place, ref, room.error, context.signal);
      return mayHaveBegun(read.view, attempt) ? later : withoutTurn(later);
    }

    const execution = `${context.workflowId}#${services.ids.next()}`;
    let labels: Record<string, string> = {};
    let started = { monotonic: 0, wall: 0 };
    const right = await changeClaim(
      cluster,
      ref,
      (fresh): ClaimChange<ReturnType<typeof takeWriteRight>> => {
        // What the look saw belongs to the claim that was read with it: after a conflict, look again.
        if (looks && fresh !== read) return { write: undefined, result: { ok: false, why: 'moved-on' } };
        // T runs from the patch; counting from before it was sent is the safe side.
        started = { monotonic: services.clock.monotonic(), wall: services.clock.now() };
        const verdict = takeWriteRight(viewOf(fresh), {
          uid: ref.uid,
          attempt,
          provider: provider.name,
          ...at,
          offering,
          execution,
          ...(input.closer ? { closer: input.closer } : {}),
          idempotency: provider.traits.idempotency,
          now: services.clock.now(),
        });
        if (!verdict.ok || fresh.found !== 'claim') return { write: undefined, result: verdict };
        // From the claim as it is: a label that somebody has just changed must not be put back.
        labels = labelsFor(fresh.claim, offering);
        // The cloud may take another one: what it took is written when it is known (`advance`).
        const unsure = takesAlternatives(provider) ? unsureLabels : [];
        for (const key of unsure) delete labels[key];
        const price = takesAlternatives(provider) ? undefined : input.price;
        const outdated = unsure.filter((key) => fresh.claim.metadata.labels?.[key] !== undefined);
        const finalizers = fresh.claim.metadata.finalizers ?? [];
        const write = {
          metadata: {
            annotations: {
              [annotations.attempt]: formatRecord(verdict.record),
              // A right that is taken again, by a launch that did not choose, changes nothing of it.
              ...(price === undefined && verdict.record.rights > 1 ? {} : priceChange(fresh.claim, price)),
            },
            labels: { ...labels, ...Object.fromEntries(outdated.map((key) => [key, null])) },
            ...(fresh.view.finalizer ? {} : { finalizers: [...finalizers, terminationFinalizer] }),
          },
        };
        return { write, result: verdict };
      },
      context.signal,
      read,
    );
    if (!right.ok) return withoutTurn(await unwritten(services, cluster, read.claim, right.failure));
    if (!right.result.ok) {
      const { why } = right.result;
      if (why === 'right-taken')
        return withoutTurn({ do: 'right-taken', settleSeconds: settleSeconds(provider.traits) });
      return mayHaveBegun(read.view, attempt) ? { do: 'refused', why } : withoutTurn({ do: 'refused', why });
    }
    const first = right.result.record.rights === 1;
    if (first && attempt === 1) {
      const nodepool = services.metrics.nodePool(nodePoolOf(read.claim));
      services.metrics.nodeClaimsCreated.inc({ reason: 'provisioned', nodepool, min_values_relaxed: 'false' });
    }
    const log = logFor(services, ref, context.workflowId);
    log.write('claim.launching', { attempt, ...offering });

    // A machine that was put to sleep stops its monotonic clock; one whose clock was set back gains time on the other.
    const spentMs = Math.max(services.clock.monotonic() - started.monotonic, services.clock.now() - started.wall);
    const leftMs = provider.traits.writeSeconds * 1000 - spentMs;
    if (leftMs <= 0)
      return withoutTurn({ do: 'again', seconds: 1, why: 'the right to write ran out before the provider was called' });
    const request: CreateRequest = {
      owner: { ...owner, attempt },
      ...at,
      claimName: ref.name,
      claim: factsOf(read.claim),
      name: nameFor(place, ref, attempt),
      token: instanceToken(ref.uid, attempt),
      offering,
      ...defined({ alternatives: input.alternatives }),
      nodeClass: { name: nodeClass.value.name, spec: nodeClass.value.spec },
      labels,
      taints: [unregisteredTaint, ...(read.claim.spec.taints ?? []), ...(read.claim.spec.startupTaints ?? [])],
    };
    const limit = AbortSignal.any([context.signal, AbortSignal.timeout(Math.ceil(leftMs))]);
    const askedAt = services.clock.now();
    const answer = await provider.beginCreate(request, limit);
    const tookMs = services.clock.now() - askedAt;
    if (answer.ok && !answer.value.done && !answer.value.operationEnded)
      await keepOperationTurn(services, place, ref.uid, answer.value.retryAfterSeconds);
    else if (answer.ok || !keepsTurn(answer.error)) await endOperationTurn(services, place, ref.uid);
    if (answer.ok) handOver(services, cluster, right.claim);
    return await judge(services, place, input, answer, tookMs, right.result.record, read.claim, context);
  };

/** Before the right was taken: nothing was asked of the cloud, and nothing has to be found out about it. */
async function putOff(
  services: LifecycleServices,
  { cluster }: Place,
  ref: ClaimRef,
  failure: Failure,
  signal: AbortSignal,
): Promise<Begun> {
  const decision = decide('create', failure);
  const why = `${failure.kind}: ${failure.message}`;
  if (decision.condition) await sayWaiting(services, cluster, ref, decision.condition.reason, failure.message, signal);
  await decided(services, ref, 'create-put-off', { kind: failure.kind, message: failure.message });
  return { do: 'again', seconds: pauseAfter(decision, failure, 1, services.random), why };
}

const mayHaveBegun = ({ record }: ClaimView, attempt: number): boolean =>
  record?.attempt === attempt && record.state === 'open' && record.rights > 0;

/** From the claim as it was read: what changes in between is picked up when the node joins. */
const factsOf = ({ metadata, spec }: StoredClaim): ClaimFacts => ({
  createdAt: Date.parse(metadata.creationTimestamp ?? ''),
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  taints: spec.taints ?? [],
  startupTaints: spec.startupTaints ?? [],
  requests: spec.resources?.requests ?? {},
});

async function judge(
  services: LifecycleServices,
  place: Place,
  input: BeginCreateInput,
  answer: Result<CreateProgress>,
  tookMs: number,
  record: AttemptRecord,
  claim: StoredClaim,
  context: ActivityContext,
): Promise<Begun> {
  const { ref, attempt, offering } = input;
  const others = input.alternatives?.length ?? 0;
  const call = (said: 'done' | 'begun' | Failure) => callDetail(place.provider.name, 'beginCreate', said, tookMs);
  const asked = { attempt, offering: offeringRef(offering), others };
  if (answer.ok) {
    const { value } = answer;
    await markRefused(services, place.provider.name, value.refused);
    if (value.done) {
      const { id, offering: taken } = value.instance;
      const made = { attempt, offering: offeringRef(taken), instance: id };
      await decided(services, ref, 'created', made, call('done'));
      return { do: 'created', attempt, instance: value.instance };
    }
    await decided(services, ref, 'create-begun', asked, call('begun'));
    if (value.retryAfterSeconds > longSeconds)
      await sayLaunching(services, place.cluster, ref, place.provider, record, context.signal);
    return {
      do: 'creating',
      attempt,
      handle: value.handle,
      seconds: value.retryAfterSeconds,
      at: services.clock.now(),
    };
  }
  const { error } = answer;
  const decision = decide('create', error);
  await decided(services, ref, 'create-failed', { ...asked, kind: error.kind, message: error.message }, call(error));
  logFor(services, ref, context.workflowId).write('provider.failed', {
    attempt,
    kind: error.kind,
    reason: decision.condition?.reason,
    problem: error.message,
  });
  await markFailed(services, place.provider.name, 'create', input, error);
  // No operation ends what stands under the claim's name: somebody may have to act, and hears of it.
  const isInTheWay = error.kind === 'conflict' && error.lasting === true;
  if (decision.condition && decision.action !== 'next-offering') {
    const reason = isInTheWay ? nameTaken : decision.condition.reason;
    await sayWaiting(services, place.cluster, ref, reason, error.message, context.signal);
  }
  if (isInTheWay) await tellSometimes(services, place.cluster, claim, 'Warning', nameTaken, error.message);
  // Where the attempt is over, the end of the claim or its next machine tells; here nothing else would.
  if (decision.event && (decision.action === 'wait' || decision.action === 'retry')) {
    await tellSometimes(services, place.cluster, claim, decision.event.type, decision.event.reason, error.message);
  }
  const again = (failure: Failure): Begun => ({
    do: 'again',
    // Every try took a right, so their number is how often in a row this attempt was put off.
    seconds: pauseAfter(decision, failure, record.rights, services.random),
    why: `${failure.kind}: ${failure.message}`,
  });
  if (error.spent && decision.action !== 'fail') {
    // Each such answer took an attempt, so their number is about how often in a row it was given.
    const seconds = pauseAfter(decision, error, attempt, services.random);
    return { do: 'rejected', failure: error, refusedTo: record.holder, final: false, seconds };
  }
  switch (decision.action) {
    case 'next-offering':
    case 'fail':
      // A refusal is an answer to this very execution: it proves that this one bought nothing (rule 3).
      return { do: 'rejected', failure: error, refusedTo: record.holder, final: decision.action === 'fail' };
    case 'wait':
      return again(error);
    case 'done':
    case 'retry':
    case 'resolve':
      return { do: 'unresolved', failure: error };
  }
}

/** Rule 4. An answer: somebody's instance was adopted, is being waited for, or the look failed. Undefined: write. */
async function lookFirst(
  services: LifecycleServices,
  place: Place,
  input: BeginCreateInput,
  claim: StoredClaim,
  at: { place?: string },
  context: ActivityContext,
): Promise<Begun | undefined> {
  const { ref, attempt } = input;
  const found = await place.provider.find(place.claim, context.signal);
  if (!found.ok) return againAfter(found.error, 3);
  const views = found.value.map((one) => viewInstance(one));
  const look = lookBeforeWrite(ref.uid, attempt, views);
  if (look.do === 'write') return undefined;
  if (look.do === 'wait') return { do: 'again', seconds: 5, why: 'an earlier instance of this claim is being deleted' };
  const instance = found.value[views.indexOf(look.instance)];
  if (!instance) return undefined;
  const price = await lookUpPrice(services, place.cluster, place.provider, claim, instance.offering, context.signal);
  const adopted = await changeClaim(
    place.cluster,
    ref,
    (fresh): ClaimChange<ReturnType<typeof adoptInstance>> => {
      const verdict = adoptInstance(viewOf(fresh), {
        ...look.instance,
        ...at,
        provider: place.provider.name,
        offering: instance.offering,
      });
      if (!verdict.ok || fresh.found !== 'claim') return { write: undefined, result: verdict };
      const finalizers = fresh.claim.metadata.finalizers ?? [];
      const write = {
        metadata: {
          annotations: {
            [annotations.attempt]: formatRecord(verdict.record),
            ...priceChange(fresh.claim, price),
          },
          ...(fresh.view.finalizer ? {} : { finalizers: [...finalizers, terminationFinalizer] }),
        },
      };
      return { write, result: verdict };
    },
    context.signal,
  );
  if (!adopted.ok) return againAfter(adopted.failure);
  if (!adopted.result.ok) return { do: 'refused', why: adopted.result.why };
  await decided(services, ref, 'instance-found', { attempt: instance.owner.attempt, instance: instance.id });
  return whatIsThere(services, instance);
}

/** An instance that can't be used yet is waited for like one that was just begun. */
const whatIsThere = (services: LifecycleServices, instance: Instance): Begun => {
  const { handle, owner } = instance;
  if (handle === undefined) return { do: 'created', attempt: owner.attempt, instance };
  return { do: 'creating', attempt: owner.attempt, handle, seconds: foundSeconds, at: services.clock.now() };
};

/**
 * Reading is allowed under a brake: an execution before this one may have made the machine and died before it could say so.
 * Then the claim goes on with it, instead of paying for a machine that nobody uses until the brake is released.
 */
async function madeBefore(
  services: LifecycleServices,
  place: Place,
  { ref, attempt }: BeginCreateInput,
  view: ClaimView,
  context: ActivityContext,
): Promise<Begun | undefined> {
  const { record } = view;
  if (record?.attempt !== attempt || record.state !== 'open') return undefined;
  const found = await place.provider.find(place.claim, context.signal);
  const instance = found.ok
    ? found.value.find((one) => one.owner.attempt === attempt && one.state !== 'deleting')
    : undefined;
  if (!instance || !mayRecord(view, ref.uid, attempt, viewInstance(instance, place.cluster, view)).ok) return undefined;
  await decided(services, ref, 'made-before-pause', { attempt, instance: instance.id });
  return whatIsThere(services, instance);
}

/** What the look of rule 4 sees belongs to the claim that was read with it; anybody else may go on from what was handed over. */
async function readToBegin(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  signal: AbortSignal,
): Promise<ClaimRead> {
  const read = await takeClaim(services, cluster, ref, signal);
  const looks = read.found === 'claim' && mayHaveBeenRestored(services, read.claim);
  return looks && read.handed ? readClaim(cluster, ref, signal) : read;
}

function mayHaveBeenRestored(services: LifecycleServices, claim: StoredClaim): boolean {
  const age = services.clock.now() - Date.parse(claim.metadata.creationTimestamp);
  return !(age < services.settings.restoreHorizonSeconds * 1000);
}

function nameFor(place: Place, ref: { name: string; uid: string }, attempt: number): string {
  const { idempotency, names } = place.provider.traits;
  const of = { claimName: ref.name, uid: ref.uid };
  return idempotency === 'claim-name' ? claimScopedName(of, names) : instanceName({ ...of, attempt }, names);
}
