/** discard and its poll: take away what an attempt, or a whole claim, has bought. */
import { mayDiscard, mayDiscardAll } from '../../claims/attempt.ts';
import { longestRetryAfterSeconds } from '../../claims/backoff.ts';
import { decide, pauseAfter } from '../../claims/decisions.ts';
import type { Failure } from '../../claims/errors.ts';
import type { Json } from '../../json.ts';
import type { DeleteTarget } from '../../providers/contract.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import { type Again, againAfter } from '../again.ts';
import type { DiscardInput, Discarding, NodeHint, PollDiscardInput } from '../answers.ts';
import { type ClaimChange, changeClaim, readClaim, viewOf } from '../claim-access.ts';
import { tellSometimes } from '../claim-events.ts';
import { decided } from '../decision-log.ts';
import { forgetInstance, nodeNames } from '../node-index.ts';
import { removeNode } from '../remove-node.ts';
import type { LifecycleServices } from '../services.ts';
import { statusPatch } from '../status.ts';
import { findPlace, isAgain, type Place } from './lookup.ts';

type Target = { target: DeleteTarget; nodes: NodeHint[] };

export const discard =
  (services: LifecycleServices) =>
  async (input: DiscardInput, context: ActivityContext): Promise<Discarding> => {
    const { ref } = input;
    const place = await findPlace(services, ref, input.provider);
    if (isAgain(place)) return place;

    const targets = input.byRecord
      ? await recordedTarget(services, place, input, context)
      : await foundTargets(services, place, input, context);
    if (!Array.isArray(targets)) return targets;
    if (targets.length === 0) return { do: 'nothing' };

    const at = services.clock.now();
    const handles: Json[] = [];
    let seconds = 0;
    for (const { target } of targets) {
      // Rule 6: the claim is re-read right before each delete.
      const refusal = await refuse(place, input, context);
      if (refusal) return refusal;
      const begun = await place.provider.beginDelete(target, context.signal);
      const what = `instance ${target.id} of attempt ${target.owner.attempt}`;
      if (!begun.ok) {
        await decided(services, ref, 'discard', `delete of ${what} failed: ${begun.error.message}`);
        return await notDeleted(services, place, input, begun.error, context);
      }
      await decided(services, ref, 'discard', begun.value.done ? `${what} is gone` : `${what} is being deleted`);
      if (begun.value.done) continue;
      handles.push(begun.value.handle);
      seconds = Math.max(seconds, begun.value.retryAfterSeconds);
    }
    return { do: 'deleting', handles, nodes: targets.flatMap(({ nodes }) => nodes), at, seconds };
  };

/** A delete never gives up; it says what holds it up, because a machine that can't be deleted costs money. */
async function notDeleted(
  services: LifecycleServices,
  { cluster }: Place,
  { ref }: DiscardInput,
  failure: Failure,
  context: ActivityContext,
): Promise<Again> {
  const decision = decide('delete', failure);
  const message = `the instance can't be deleted: ${failure.message}`;
  const said = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      // An attempt that is passed over is not the end of its claim.
      if (read.found !== 'claim' || !read.view.deleting || !decision.condition)
        return { write: undefined, result: null };
      const write = statusPatch(read.claim, services.clock.now(), [{ ...decision.condition, message }]);
      return write === undefined ? { write, result: null } : { write, subresource: 'status', result: null };
    },
    context.signal,
  );
  if (said.ok && said.claim && decision.event) {
    await tellSometimes(services, cluster, said.claim, decision.event.type, decision.event.reason, message);
  }
  return againAfter(failure, pauseAfter(decision, failure, 1, services.random));
}

async function refuse(
  place: Place,
  input: DiscardInput,
  context: ActivityContext,
): Promise<Exclude<Discarding, { do: 'nothing' | 'deleting' }> | undefined> {
  const read = await readClaim(place.cluster, input.ref, context.signal);
  if (read.found === 'unknown') return againAfter(read.failure);
  const { uid } = input.ref;
  const verdict =
    input.attempt === undefined ? mayDiscardAll(viewOf(read), uid) : mayDiscard(viewOf(read), uid, input.attempt);
  return verdict.ok ? undefined : { do: 'refused', why: verdict.why };
}

/** By id, because a list may not show it yet. Its Node is known to the claim: `finish` takes care of it. */
async function recordedTarget(
  services: LifecycleServices,
  place: Place,
  input: DiscardInput,
  context: ActivityContext,
): Promise<Target[] | Discarding> {
  const read = await readClaim(place.cluster, input.ref, context.signal);
  if (read.found === 'unknown') return againAfter(read.failure);
  const verdict = mayDiscardAll(viewOf(read), input.ref.uid);
  if (!verdict.ok || read.found !== 'claim') return { do: 'refused', why: verdict.ok ? 'gone' : verdict.why };
  const { providerID, record } = read.view;
  const id = providerID === undefined ? undefined : place.provider.instanceId(providerID);
  if (id === undefined || !record) return foundTargets(services, place, input, context);
  return [{ target: { id, owner: { ...place.owner, attempt: record.attempt } }, nodes: [] }];
}

async function foundTargets(
  services: LifecycleServices,
  place: Place,
  input: DiscardInput,
  context: ActivityContext,
): Promise<Target[] | Discarding> {
  const found = await place.provider.find(place.owner, context.signal);
  if (!found.ok) return againAfter(found.error, 3);
  const targets: Target[] = [];
  for (const { id, owner, providerID, nodeName } of found.value) {
    if (input.attempt !== undefined && owner.attempt !== input.attempt) continue;
    const names = new Set(await nodeNames(services, input.ref.cluster, providerID));
    if (nodeName) names.add(nodeName);
    targets.push({ target: { id, owner }, nodes: [...names].map((name) => ({ name, providerID })) });
  }
  return targets;
}

export const pollDiscard =
  (services: LifecycleServices) =>
  async (
    input: PollDiscardInput,
    context: ActivityContext,
  ): Promise<{ done: true; value: Json } | { done: false; retryAfterSeconds?: number }> => {
    const place = await findPlace(services, input.ref, input.provider);
    if (isAgain(place)) return { done: false, retryAfterSeconds: place.seconds };
    let retryAfterSeconds: number | undefined;
    for (const handle of input.handles) {
      const polled = await place.provider.pollDelete(handle, context.signal);
      if (polled.ok && polled.value.done) continue;
      // A cloud that has forgotten the delete won't finish it: look again, and delete again.
      if (!polled.ok && (polled.error.kind === 'outcome-unknown' || polled.error.kind === 'not-found')) continue;
      const asked = polled.ok ? !polled.value.done && polled.value.retryAfterSeconds : polled.error.retryAfterSeconds;
      retryAfterSeconds = Math.max(retryAfterSeconds ?? 0, Math.min(asked || 2, longestRetryAfterSeconds));
    }
    if (retryAfterSeconds !== undefined) return { done: false, retryAfterSeconds };
    if (input.handles.length > 0) {
      const seconds = Math.max(0, (services.clock.now() - input.at) / 1000);
      services.metrics.instanceTerminationDuration.observe(seconds);
    }
    // Only now: a kubelet that still ran would make its Node again.
    for (const { name, providerID } of input.nodes) {
      const removed = await removeNode(place.cluster, name, providerID, context.signal);
      if (!removed.ok) return { done: false, retryAfterSeconds: 1 };
      await forgetInstance(services, input.ref.cluster, providerID);
    }
    return { done: true, value: null };
  };
