/** discard and its poll: take away what an attempt, or a whole claim, has bought. */

import { longestRetryAfterSeconds } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { DeleteTarget } from '../../providers/contract.ts';
import { instanceIdOf } from '../../providers/instance-id.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import { mayDiscard, mayDiscardAll } from '../claims/attempt/attempt.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { forgetInstance, nodeNames } from '../node-objects/node-index.ts';
import { nodeNotDeleted } from '../node-objects/node-not-deleted.ts';
import { removeNode } from '../node-objects/remove-node.ts';
import {
  endOperationTurn,
  keepOperationTurn,
  keepsTurn,
  type NoTurn,
  takeOperationTurn,
} from '../pauses/operation-turns.ts';
import type { AttemptMachine, DiscardInput, DiscardResult, NodeHint, PollDiscardInput } from '../steps/answers.ts';
import { type ClaimRead, readClaim, type StoredClaim, viewClaim, viewOf } from '../steps/claim-access.ts';
import { handOverEnding } from '../steps/claim-handover.ts';
import { type ClaimContext, findClaimContext, heldElsewhere, isAgain } from '../steps/lookup.ts';
import { getMachine } from '../steps/machine-gone.ts';
import { nodePoolOf } from '../steps/pool-owner.ts';
import { callDetail } from '../steps/report/call-detail.ts';
import { recordDecision } from '../steps/report/decision-log.ts';
import {
  quickSeconds,
  sayConditions,
  saysDraining,
  setConditions,
  terminatingConditions,
} from '../steps/report/say.ts';
import { type Again, againAfter } from '../steps/retry-later.ts';
import type { ClaimRef, LifecycleServices } from '../steps/services.ts';
import { isRefused } from '../steps/unwritten.ts';
import { notDeleted, notLookedFor } from './delete-held-up.ts';
import { sayKept, sayPolledKept } from './say-kept.ts';

type Known = Exclude<ClaimRead, { found: 'unknown' }>;

type Target = {
  target: DeleteTarget;
  nodes: NodeHint[];
  /** The claim as it was read a moment ago, where it was. */
  claim?: StoredClaim;
  /** Only the record knows of it: that it is gone is no news then. */
  unlisted?: true;
};

export const discard =
  (services: LifecycleServices) =>
  async (input: DiscardInput, context: ActivityContext): Promise<DiscardResult> => {
    const { ref } = input;
    const place = await findClaimContext(services, ref, input.provider);
    if (isAgain(place)) return place;
    const knowsPlace = place.provider.place !== undefined;
    const read = knowsPlace || input.byRecord ? await readClaim(place.cluster, ref, context.signal) : undefined;
    if (read?.found === 'unknown') return againAfter(read.failure);
    // Of a claim that is gone nothing is asked any more.
    const record = knowsPlace && read ? viewOf(read)?.record : undefined;
    const before = await heldElsewhere(services, place, ref, record);
    if (before) return before;

    const targets =
      input.byRecord && read
        ? await recordedTarget(services, place, input, read, context)
        : await foundTargets(services, place, input, context);
    if (!Array.isArray(targets)) return targets;
    if (targets.length === 0) {
      const after = await heldElsewhere(services, place, ref, record);
      if (after) return after;
      const left = input.machine && (await removeNodesOf(services, place, ref, input.machine, context));
      if (left) return left;
      await endOperationTurn(services, place, ref.uid);
      return { do: 'nothing' };
    }
    const leftover = input.attempt !== undefined;
    const kind = leftover ? 'launch' : 'terminate';
    const noTurn = await takeOperationTurn(services, place, ref, kind, { first: leftover });
    if (noTurn) return await withoutTurn(services, place, input, noTurn, context);

    const at = services.clock.now();
    const handles: Json[] = [];
    let seconds = 0;
    let claim: StoredClaim | undefined;
    for (const { target, claim: fresh } of targets) {
      // Rule 6: the claim is re-read right before each delete.
      const read = fresh ?? (await readAllowed(place, input, context));
      if ('do' in read) return read;
      claim = read;
      const begun = await place.provider.beginDelete(target, context.signal);
      const what = { instance: target.id, attempt: target.owner.attempt };
      if (!begun.ok) {
        if (!keepsTurn(begun.error)) await endOperationTurn(services, place, ref.uid);
        const call = callDetail(place.provider.name, 'beginDelete', begun.error);
        const { kind, message } = begun.error;
        await recordDecision(services, ref, 'delete-failed', { ...what, kind, message }, call);
        return await notDeleted(services, place.cluster, ref, begun.error, context.signal);
      }
      const { done } = begun.value;
      const call = callDetail(place.provider.name, 'beginDelete', done ? 'done' : 'begun');
      await recordDecision(services, ref, done ? 'instance-gone' : 'delete-begun', what, call);
      if (begun.value.done) {
        const { kept } = begun.value;
        if (kept) claim = await sayKept(services, place, ref, kept, leftover ? undefined : read, context);
        continue;
      }
      handles.push(begun.value.handle);
      seconds = Math.max(seconds, begun.value.retryAfterSeconds);
    }
    if (handles.length === 0 && targets.every(({ unlisted }) => unlisted)) {
      const after = await heldElsewhere(services, place, ref, record);
      if (after) return after;
      await endOperationTurn(services, place, ref.uid);
      return { do: 'nothing' };
    }
    if (handles.length === 0) await endOperationTurn(services, place, ref.uid);
    else await keepOperationTurn(services, place, ref.uid, seconds);
    if (input.attempt === undefined && claim && handles.length > 0) {
      if (seconds > quickSeconds || saysDraining(claim))
        claim = await sayTerminating(services, place, ref, claim, context);
    }
    handOverEnding(services, place.cluster, claim);
    const nodepool = claim && nodePoolOf(claim);
    return {
      do: 'deleting',
      handles,
      nodes: targets.flatMap(({ nodes }) => nodes),
      at,
      seconds,
      ...defined({ nodepool }),
    };
  };

/**
 * A delete whose answer was lost may have taken the machine already. No list shows it then, and the claim's status is cleared
 * by now: only the launch still knows which Node has to go.
 */
async function removeNodesOf(
  services: LifecycleServices,
  { cluster }: ClaimContext,
  ref: ClaimRef,
  { providerID, nodeName }: AttemptMachine,
  { signal }: ActivityContext,
): Promise<Again | undefined> {
  const names = new Set(await nodeNames(services, cluster.name, providerID));
  if (nodeName) names.add(nodeName);
  for (const name of names) {
    const removed = await removeNode(cluster, name, providerID, signal);
    if (removed.ok) continue;
    const again = await nodeNotDeleted(services, cluster, ref, name, removed.error, signal);
    // The claim says so, and does not wait for a server that refuses: garbage collection tries again.
    return isRefused(removed.error) ? undefined : again;
  }
  await forgetInstance(services, cluster.name, providerID);
  return undefined;
}

/** It costs nothing to wait, but whoever looks at the claim should see for what. */
async function withoutTurn(
  services: LifecycleServices,
  { cluster }: ClaimContext,
  { ref, attempt }: DiscardInput,
  { why, seconds }: NoTurn,
  context: ActivityContext,
): Promise<Again> {
  await recordDecision(services, ref, 'operation-waits', { message: why });
  if (attempt === undefined) {
    const type = conditionTypes.instanceTerminating;
    const condition = { type, status: 'Unknown' as const, reason: 'WaitingForTurn', message: why };
    await setConditions(services, cluster, ref, [condition], [], context.signal);
  }
  return { do: 'again', seconds, why };
}

/** One write for all that has come to pass; a machine that goes at once leaves no time to read it. */
const sayTerminating = (
  services: LifecycleServices,
  { cluster }: ClaimContext,
  ref: ClaimRef,
  claim: StoredClaim,
  context: ActivityContext,
): Promise<StoredClaim | undefined> =>
  sayConditions(
    services,
    cluster,
    ref,
    (fresh) => terminatingConditions(fresh, 'the provider is deleting the instance'),
    context.signal,
    claim,
  );

async function readAllowed(
  place: ClaimContext,
  input: DiscardInput,
  context: ActivityContext,
): Promise<Exclude<DiscardResult, { do: 'nothing' | 'deleting' }> | StoredClaim> {
  const read = await readClaim(place.cluster, input.ref, context.signal);
  if (read.found === 'unknown') return againAfter(read.failure);
  const { uid } = input.ref;
  const verdict =
    input.attempt === undefined ? mayDiscardAll(viewOf(read), uid) : mayDiscard(viewOf(read), uid, input.attempt);
  if (!verdict.ok) return { do: 'refused', why: verdict.why };
  return read.found === 'claim' ? read.claim : { do: 'refused', why: 'gone' };
}

/** By id, because a list may not show it yet. The reading is the one of rule 6: a claim that is being deleted stays so. */
async function recordedTarget(
  services: LifecycleServices,
  place: ClaimContext,
  input: DiscardInput,
  read: Known,
  context: ActivityContext,
): Promise<Target[] | DiscardResult> {
  const verdict = mayDiscardAll(viewOf(read), input.ref.uid);
  if (!verdict.ok || read.found !== 'claim') return { do: 'refused', why: verdict.ok ? 'gone' : verdict.why };
  const { providerID, record } = read.view;
  const id = providerID === undefined ? undefined : instanceIdOf(place.provider, providerID);
  if (id === undefined || !record) return foundTargets(services, place, input, context);
  const nodes = await unrecordedNodes(services, place, read.claim, context);
  if (!Array.isArray(nodes)) return nodes;
  return [{ target: targetOf(place, id, record.attempt), nodes, claim: read.claim }];
}

/** Name and age of the claim tell, where there are no tags, that it is this claim's. */
const targetOf = ({ owner, claim }: ClaimContext, id: string, attempt: number): DeleteTarget => ({
  id,
  owner: { ...owner, attempt },
  claimName: claim.claimName,
  ...defined({ createdAt: claim.createdAt }),
});

/**
 * The Node that the claim names is for `finish`. But a launch gives the Node our finalizer before it writes the Node's name on the
 * claim, and may have got no further; then the machine knows the name.
 */
async function unrecordedNodes(
  services: LifecycleServices,
  { cluster, provider, claim }: ClaimContext,
  { status }: StoredClaim,
  context: ActivityContext,
): Promise<NodeHint[] | Again> {
  const providerID = status?.providerID;
  if (status?.nodeName || !providerID) return [];
  const names = new Set(await nodeNames(services, cluster.name, providerID));
  const machine = await getMachine(provider, claim, providerID, context.signal);
  if (!machine.ok && machine.error.kind !== 'not-found') return againAfter(machine.error, 3);
  if (machine.ok && machine.value.nodeName) names.add(machine.value.nodeName);
  return [...names].map((name) => ({ name, providerID }));
}

async function foundTargets(
  services: LifecycleServices,
  place: ClaimContext,
  input: DiscardInput,
  context: ActivityContext,
): Promise<Target[] | DiscardResult> {
  const found = await place.provider.find(place.claim, context.signal);
  if (!found.ok) return await notLookedFor(services, place.cluster, input.ref, found.error, context.signal);
  const targets: Target[] = [];
  for (const { id, owner, providerID, nodeName } of found.value) {
    if (input.attempt !== undefined && owner.attempt !== input.attempt) continue;
    const names = new Set(await nodeNames(services, input.ref.cluster, providerID));
    if (nodeName) names.add(nodeName);
    targets.push({
      target: targetOf(place, id, owner.attempt),
      nodes: [...names].map((name) => ({ name, providerID })),
    });
  }
  if (targets.length > 0 || input.attempt !== undefined) return targets;
  return unlistedTarget(place, input, context);
}

/**
 * Lists go by tags, and somebody may have taken those away: the finalizer must not go while the machine that the claim names still
 * runs. Where names are used again, an id does not tell one machine from the next, so there the list has the last word.
 */
async function unlistedTarget(
  place: ClaimContext,
  input: DiscardInput,
  context: ActivityContext,
): Promise<Target[] | DiscardResult> {
  const { idempotency } = place.provider.traits;
  if (idempotency === 'claim-name') return [];
  const claim = await readAllowed(place, input, context);
  if ('do' in claim) return claim;
  const { providerID, record } = viewClaim(claim);
  const id = providerID === undefined ? undefined : instanceIdOf(place.provider, providerID);
  if (id === undefined || !record || record.attempt === 0) return [];
  return [{ target: targetOf(place, id, record.attempt), nodes: [], claim, unlisted: true }];
}

export const pollDiscard =
  (services: LifecycleServices) =>
  async (
    input: PollDiscardInput,
    context: ActivityContext,
  ): Promise<{ done: true; value: Json } | { done: false; retryAfterSeconds?: number }> => {
    const place = await findClaimContext(services, input.ref, input.provider);
    if (isAgain(place)) return { done: false, retryAfterSeconds: place.seconds };
    let retryAfterSeconds: number | undefined;
    let forgotten = false;
    for (const handle of input.handles) {
      const polled = await place.provider.pollDelete(handle, context.signal);
      if (polled.ok && polled.value.done) {
        if (polled.value.kept) await sayPolledKept(services, place, input, polled.value.kept, context);
        continue;
      }
      // A cloud that has forgotten the delete won't finish it: look again, and delete again.
      if (!polled.ok && (polled.error.kind === 'outcome-unknown' || polled.error.kind === 'not-found')) {
        forgotten = true;
        continue;
      }
      const asked = polled.ok ? !polled.value.done && polled.value.retryAfterSeconds : polled.error.retryAfterSeconds;
      retryAfterSeconds = Math.max(retryAfterSeconds ?? 0, Math.min(asked || 2, longestRetryAfterSeconds));
    }
    if (retryAfterSeconds !== undefined) {
      await keepOperationTurn(services, place, input.ref.uid, retryAfterSeconds);
      if (input.ending) await sayIfSlow(services, place, input, context);
      return { done: false, retryAfterSeconds };
    }
    // Whoever has to begin again keeps the turn: the next one in line would only run into what is still there.
    if (!forgotten) await endOperationTurn(services, place, input.ref.uid);
    if (input.handles.length > 0) {
      const seconds = Math.max(0, (services.clock.now() - input.at) / 1000);
      const nodepool = services.metrics.nodePool(input.nodepool);
      services.metrics.instanceTerminationDuration.observe({ nodepool }, seconds);
    }
    // Only now: a kubelet that still ran would make its Node again.
    for (const { name, providerID } of input.nodes) {
      const removed = await removeNode(place.cluster, name, providerID, context.signal);
      if (!removed.ok) {
        const { cluster } = place;
        const { seconds } = await nodeNotDeleted(services, cluster, input.ref, name, removed.error, context.signal);
        return { done: false, retryAfterSeconds: seconds };
      }
      await forgetInstance(services, input.ref.cluster, providerID);
    }
    return { done: true, value: null };
  };

/** For a provider that did not say how long it takes, or took longer. Once: a poll has no memory of its own. */
async function sayIfSlow(
  services: LifecycleServices,
  place: ClaimContext,
  { ref, at }: PollDiscardInput,
  context: ActivityContext,
): Promise<void> {
  if (services.clock.now() - at <= quickSeconds * 1000) return;
  const first = await services.state.put(`said/${ref.cluster}/${ref.uid}/terminating`, true, {
    ifVersion: null,
    ttlSeconds: 3600,
  });
  if (first === undefined) return;
  const read = await readClaim(place.cluster, ref, context.signal);
  if (read.found === 'claim') await sayTerminating(services, place, ref, read.claim, context);
}
