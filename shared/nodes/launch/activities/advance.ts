/**
 * advance: bring a claim with an instance as far as it can go now: Launched, Registered, Initialized. What is due together
 * is written together, because every write to the API server costs: the node once, the claim's status once.
 */

import type { Failure } from '../../../base/result.ts';
import type { Instance } from '../../../providers/contract.ts';
import { isSameMachine } from '../../../providers/same-machine.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { type ClaimView, mayRecord, mayRegister } from '../../claims/attempt/attempt.ts';
import { annotations, conditionTypes, labels } from '../../claims/spec/well-known.ts';
import { decideStages, type Sight } from '../../node-objects/claim-stages.ts';
import { seeNode } from '../../node-objects/join-node.ts';
import { rememberClaim } from '../../node-objects/node-index.ts';
import { nodeStages, type StoredNode } from '../../node-objects/node-stages.ts';
import { readNodeClass } from '../../offerings/node-class.ts';
import { lookUpPrice, priceChange } from '../../offerings/price.ts';
import type { AdvanceInput, AdvanceResult } from '../../steps/answers.ts';
import {
  type ClaimChange,
  type ClaimRead,
  changeClaim,
  conditionOf,
  readClaim,
  type StoredClaim,
  statusChange,
  takeClaim,
  viewClaim,
} from '../../steps/claim-access.ts';
import { handOver } from '../../steps/claim-handover.ts';
import { type Deadlines, deadlinesOf } from '../../steps/deadlines.ts';
import { viewInstance } from '../../steps/instance-view.ts';
import { type ClaimContext, findClaimContext, heldElsewhere, isAgain } from '../../steps/lookup.ts';
import { getMachine } from '../../steps/machine-gone.ts';
import { relabel, takesAlternatives } from '../../steps/machine-labels.ts';
import { nodePoolOf } from '../../steps/pool-owner.ts';
import { servingAs } from '../../steps/provider-choice.ts';
import { emitEvent } from '../../steps/report/claim-events.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { againAfter } from '../../steps/retry-later.ts';
import { type ClusterServices, type LifecycleServices, logFor } from '../../steps/services.ts';
import { type StatusFields, statusPatch } from '../../steps/status.ts';
import { unwritten } from '../../steps/unwritten.ts';
import { hearsOfInterruptions } from '../../upkeep/interruption/claim-list.ts';
import { endClaim } from '../../upkeep/interruption/end-claim.ts';
import { notedInterruption } from '../../upkeep/interruption/notes.ts';

/** A node that has joined is usually Ready soon; what its claim says of the time in between can wait this long. */
const unsaidSeconds = 5;
/** So long a machine may be there without its claim saying so, where its Node is about to join and both can be said at once. */
const unlaunchedSeconds = 4;

const joins = (sight: Sight): boolean =>
  sight.found === 'none' || (sight.found === 'node' && sight.waitingFor !== undefined);

type Verdict = ReturnType<typeof mayRecord> | { ok: false; why: 'outdated' };

export const advance =
  (services: LifecycleServices) =>
  async (input: AdvanceInput, context: ActivityContext): Promise<AdvanceResult> => {
    const { ref, providerID, instance } = input;
    const place = await findClaimContext(services, ref, input.provider);
    if (isAgain(place)) return place;
    const { cluster } = place;
    // Before the claim says Launched, so that a node event that comes right after finds its way.
    if (instance) await rememberClaim(services, ref, providerID);

    const found = await readForAdvance(services, place, input, context);
    const read = await withLabels(services, place, input, found, context);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return { do: 'refused', why: 'gone' };
    const allowed = mayAdvance(cluster, input, read.view);
    if (!allowed.ok) return { do: 'refused', why: allowed.why };
    const elsewhere = await heldElsewhere(services, place, ref, read.view.record);
    if (elsewhere) return elsewhere;

    const { madeToMeasure } = place.provider.traits;
    const lookedAt = services.clock.now();
    const sight = await seeNode(services, cluster, input, read.claim, context.signal, madeToMeasure);
    if ('do' in sight) return sight;
    const held = await holdLaunched(services, place, input, read, sight, context);
    if (held) return held;
    const ready = sight.found === 'node' && sight.waitingFor === undefined;

    const tagged = instance ?? (ready ? await taggedInstance(place, input, context) : undefined);
    if (tagged && 'do' in tagged) return tagged;
    let unsaid = false;
    const written = await changeClaim(
      cluster,
      ref,
      (fresh): ClaimChange<Verdict> => {
        if (fresh.found !== 'claim') return { write: undefined, result: { ok: false, why: 'gone' } };
        const verdict = mayAdvance(cluster, { ...input, ...(tagged ? { instance: tagged } : {}) }, fresh.view);
        if (!verdict.ok) return { write: undefined, result: verdict };
        // The node was given what an older claim said.
        if (fresh.claim !== read.claim && isBehind(fresh.claim, sight, madeToMeasure))
          return { write: undefined, result: { ok: false, why: 'outdated' } };
        const { changes, due } = decideStages(fresh.claim, sight, input.launchedAt);
        unsaid = !due && !input.say;
        if (unsaid) return { write: undefined, result: verdict };
        const fields: StatusFields = {
          ...(instance ? launchedFields(instance) : {}),
          ...(sight.found === 'node' ? nodeFields(sight.node) : {}),
        };
        const write = statusPatch(fresh.claim, services.clock.now(), changes, fields);
        return statusChange(write, verdict);
      },
      context.signal,
      read,
    );
    if (!written.ok) return await unwritten(services, cluster, read.claim, written.failure);
    const { result } = written;
    if (!result.ok) {
      if (result.why !== 'outdated') return { do: 'refused', why: result.why };
      return { do: 'again', seconds: 0.2, why: 'the claim changed while its node was checked' };
    }
    const claim = written.claim ?? read.claim;
    // What the cloud said of the machine before anybody knew whose it is.
    const noted = instance && (await endIfNoted(services, place, instance, claim, context));
    if (noted) return noted;

    if (sight.found === 'node' && ready) {
      await rememberClaim(services, ref, providerID, { ready: true, lookedAt });
      await sayReady(services, place, input, claim, sight.node, context);
      return { do: 'ready' };
    }
    const waitingFor = textOf(sight);
    handOver(services, cluster, claim);
    const wait = await waitOrGiveUp(services, place, input, claim, waitingFor, context);
    return wait.do === 'wait' && unsaid ? { ...wait, seconds: Math.min(wait.seconds, unsaidSeconds), unsaid } : wait;
  };

/**
 * Launched is not written alone if the Node is about to join, or has joined and is about to be Ready. Nobody loses by it: until it is written
 * the launch is where it was when the create was answered, and whoever goes on after a crash finds the same machine by its token, name or
 * tag. A claim that is deleted meanwhile wakes the launch, so a reading that was handed over is good enough for these seconds, at whose end is
 * a conditional write.
 */
async function holdLaunched(
  services: LifecycleServices,
  place: ClaimContext,
  input: AdvanceInput,
  { claim, view }: Extract<ClaimRead, { found: 'claim' }>,
  sight: Sight,
  context: ActivityContext,
): Promise<AdvanceResult | undefined> {
  if (!input.instance || input.say || view.launched || !joins(sight) || !place.provider.traits.joinsSoon)
    return undefined;
  const now = services.clock.now();
  const launchedAt = input.launchedAt ?? now;
  const left = (sight.found === 'node' ? unsaidSeconds : unlaunchedSeconds) - (now - launchedAt) / 1000;
  if (left <= 0) return undefined;
  const wait = await waitOrGiveUp(services, place, { ...input, launchedAt }, claim, textOf(sight), context);
  if (wait.do !== 'wait') return undefined;
  handOver(services, place.cluster, claim);
  return { ...wait, seconds: Math.min(wait.seconds, left), unsaid: true, launchedAt };
}

/** A reading that was handed over may say yes, because a conditional write follows; for a no it is read again. */
async function readForAdvance(
  services: LifecycleServices,
  { cluster }: ClaimContext,
  input: AdvanceInput,
  context: ActivityContext,
): Promise<ClaimRead> {
  const read = await takeClaim(services, cluster, input.ref, context.signal);
  const handed = read.found === 'claim' && read.handed;
  return handed && !mayAdvance(cluster, input, read.view).ok ? readClaim(cluster, input.ref, context.signal) : read;
}

/**
 * Where the cloud took one of many, the claim learns now which, and at what price: before its Node is given the claim's labels, and before it
 * says Launched, so that who goes on after a crash finds them.
 */
async function withLabels(
  services: LifecycleServices,
  { cluster, provider }: ClaimContext,
  input: AdvanceInput,
  read: ClaimRead,
  context: ActivityContext,
): Promise<ClaimRead> {
  const { ref, instance } = input;
  if (!instance || read.found !== 'claim' || !takesAlternatives(provider)) return read;
  // What is there was written for this very attempt: whoever opens, closes or adopts one sees to that.
  const isPriced = read.claim.metadata.annotations?.[annotations.pricePerHour] !== undefined;
  const price =
    input.price === undefined && !isPriced
      ? await lookUpPrice(services, cluster, provider, read.claim, instance.offering, context.signal)
      : input.price;
  const written = await changeClaim(
    cluster,
    ref,
    (fresh): ClaimChange<null> => {
      const allowed = fresh.found === 'claim' && mayAdvance(cluster, input, fresh.view).ok;
      if (!allowed) return { write: undefined, result: null };
      const labels = relabel(fresh.claim, instance);
      const priced = price === undefined ? {} : priceChange(fresh.claim, price);
      if (labels === undefined && Object.keys(priced).length === 0) return { write: undefined, result: null };
      return { write: { metadata: { ...(labels ? { labels } : {}), annotations: priced } }, result: null };
    },
    context.signal,
    read,
  );
  if (!written.ok) return { found: 'unknown', failure: written.failure };
  const { claim } = written;
  return claim ? { found: 'claim', claim, view: viewClaim(claim) } : { found: 'absent' };
}

async function endIfNoted(
  services: LifecycleServices,
  { cluster, provider }: ClaimContext,
  instance: Instance,
  claim: StoredClaim,
  { signal }: ActivityContext,
): Promise<Extract<AdvanceResult, { do: 'again' | 'refused' }> | undefined> {
  const note = hearsOfInterruptions(provider) ? await notedInterruption(services, instance.id) : undefined;
  if (!note) return undefined;
  const outcome = await endClaim(services, { cluster, provider, claim }, note, signal);
  if (!outcome.ok) return againAfter(outcome.error);
  if (outcome.value === 'changed') return { do: 'again', seconds: 0.2, why: 'the claim changed while it was deleted' };
  return outcome.value === 'told' ? undefined : { do: 'refused', why: 'deleting' };
}

const isBehind = (claim: StoredClaim, sight: Sight, madeToMeasure?: readonly string[]): boolean =>
  sight.found === 'node' && nodeStages(claim, sight.node, madeToMeasure).patch !== undefined;

const textOf = (sight: Sight): string => {
  if (sight.found !== 'node') return sight.why;
  const { message, detail } = sight.waitingFor ?? { message: 'nothing' };
  return detail === undefined ? message : `${message}: ${detail}`;
};

async function sayReady(
  services: LifecycleServices,
  place: ClaimContext,
  { ref }: AdvanceInput,
  claim: StoredClaim,
  node: StoredNode,
  context: ActivityContext,
): Promise<void> {
  const { name } = node.metadata;
  services.metrics.nodesCreated.inc({
    nodepool: services.metrics.nodePool(nodePoolOf(claim)),
    zone: claim.metadata.labels?.[labels.zone] ?? '',
  });
  const seconds = (services.clock.now() - Date.parse(claim.metadata.creationTimestamp)) / 1000;
  services.metrics.stageDuration.observe({ stage: 'ready', provider: place.provider.name }, Math.max(0, seconds));
  logFor(services, ref, context.workflowId).write('claim.ready', { node: name, seconds });
  await recordDecision(services, ref, 'node-ready', { node: name });
  // The one Event of an ordinary life. Its words are the same however often the step is repeated.
  const {
    [labels.instanceType]: type,
    [labels.zone]: zone,
    [labels.capacityType]: capacity,
  } = claim.metadata.labels ?? {};
  const what = [type, zone, capacity].filter((one) => one !== undefined).join(', ');
  await emitEvent(
    services,
    place.cluster,
    claim,
    'Normal',
    'Ready',
    `node ${name} is ready${what ? ` (${what})` : ''}`,
  );
}

/** Until Launched is written the instance itself is checked (rule 5); afterwards the claim's own record of it. */
function mayAdvance(
  cluster: ClusterServices,
  input: AdvanceInput,
  view: ClaimView | undefined,
): ReturnType<typeof mayRecord> {
  const { ref, attempt, instance } = input;
  const same = view?.providerID !== undefined && isSameMachine(cluster, view.providerID, input.providerID);
  // What the claim calls this machine by now: a pool's Node may have told another providerID since.
  const providerID = same ? view.providerID! : input.providerID;
  const seen = instance && viewInstance(instance, cluster, view);
  return seen && !(view?.launched && same)
    ? mayRecord(view, ref.uid, attempt, seen)
    : mayRegister(view, ref.uid, attempt, providerID, seen);
}

/** The Node knows its machine best. */
const nodeFields = ({ metadata, spec }: StoredNode): StatusFields => ({
  nodeName: metadata.name,
  ...(spec?.providerID ? { providerID: spec.providerID } : {}),
});

/** Where one name serves all attempts, so may one providerID: then only the tag says whose machine it is (rule 5). */
async function taggedInstance(
  { provider, claim }: ClaimContext,
  { providerID }: AdvanceInput,
  context: ActivityContext,
): Promise<Instance | Extract<AdvanceResult, { do: 'again' }> | undefined> {
  if (provider.traits.idempotency !== 'claim-name') return undefined;
  const got = await getMachine(provider, claim, providerID, context.signal);
  return got.ok ? got.value : againAfter(got.error, 5);
}

const launchedFields = (instance: Instance): StatusFields => ({
  providerID: instance.providerID,
  ...(instance.imageID ? { imageID: instance.imageID } : {}),
  ...(instance.capacity ? { capacity: instance.capacity } : {}),
  ...(instance.allocatable ? { allocatable: instance.allocatable } : {}),
});

/** Deadlines count from the transition times on the claim, so they hold over restarts, epochs and hosts. */
async function waitOrGiveUp(
  services: LifecycleServices,
  place: ClaimContext,
  { ref, attempt, launchedAt }: AdvanceInput,
  claim: StoredClaim,
  waitingFor: string,
  context: ActivityContext,
): Promise<Extract<AdvanceResult, { do: 'wait' | 'overdue' }>> {
  const registered = conditionOf(claim, conditionTypes.registered)?.status === 'True';
  const served = servingAs(place.cluster, claim, place.provider.name);
  const nodeClass = served
    ? await readNodeClass(services, place.cluster, served.resource, claim.spec.nodeClassRef, context.signal)
    : undefined;
  const deadlines: Deadlines = deadlinesOf(claim, nodeClass?.ok ? nodeClass.value.spec : undefined, place.provider);
  const said = conditionOf(claim, registered ? conditionTypes.registered : conditionTypes.launched);
  // A launch that failed before may have left its own Launched, which is not True.
  const since = said?.status === 'True' ? Date.parse(said.lastTransitionTime ?? '') : (launchedAt ?? Number.NaN);
  const limit = registered ? deadlines.initializationSeconds : deadlines.registrationSeconds;
  const now = services.clock.now();
  const waited = (now - since) / 1000;
  const left = limit - (Number.isFinite(waited) ? waited : 0);
  const until = Math.round(now + left * 1000);
  await recordDecision(services, ref, 'node-awaited', { attempt, message: waitingFor, until }, { until });
  if (left > 0) return { do: 'wait', for: waitingFor, seconds: Math.min(left + 1, services.settings.lookAgainSeconds) };
  const stage = registered ? 'initialized' : 'registered';
  const failure: Failure = { kind: 'not-ready', message: `not ${stage} within ${limit} s: ${waitingFor}` };
  return { do: 'overdue', failure, reason: registered ? 'InitializationTimeout' : 'RegistrationTimeout' };
}
