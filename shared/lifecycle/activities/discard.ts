/** discard and its poll: take away what an attempt, or a whole claim, has bought. */
import { mayDiscard, mayDiscardAll } from '../../claims/attempt.ts';
import type { Json } from '../../json.ts';
import type { DeleteTarget, Instance } from '../../providers/contract.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import { againAfter } from '../again.ts';
import type { DiscardInput, Discarding, PollDiscardInput } from '../answers.ts';
import { readClaim, viewOf } from '../claim-access.ts';
import { decided } from '../decision-log.ts';
import type { LifecycleServices } from '../services.ts';
import { findPlace, isAgain, type Place } from './lookup.ts';

export const discard =
  (services: LifecycleServices) =>
  async (input: DiscardInput, context: ActivityContext): Promise<Discarding> => {
    const { ref, attempt } = input;
    const place = await findPlace(services, ref, input.provider);
    if (isAgain(place)) return place;

    const targets = input.byRecord
      ? await recordedTarget(place, input, context)
      : await foundTargets(place, input, context);
    if (!Array.isArray(targets)) return targets;
    if (targets.length === 0) return { do: 'nothing' };

    const handles: Json[] = [];
    let seconds = 1;
    for (const target of targets) {
      // Rule 6: the claim is re-read right before each delete.
      const refusal = await refuse(place, input, context);
      if (refusal) return refusal;
      const begun = await place.provider.beginDelete(target, context.signal);
      const what = `instance ${target.id} of attempt ${target.owner.attempt}`;
      if (!begun.ok) {
        await decided(services, ref, 'discard', `delete of ${what} failed: ${begun.error.message}`);
        return againAfter(begun.error, 3);
      }
      await decided(services, ref, 'discard', begun.value.done ? `${what} is gone` : `${what} is being deleted`);
      if (begun.value.done) continue;
      handles.push(begun.value.handle);
      seconds = Math.max(seconds, begun.value.retryAfterSeconds);
    }
    // With an attempt, everything is looked for once more even if all of it is already gone.
    return { do: 'deleting', handles, seconds: attempt === undefined ? seconds : Math.max(1, seconds) };
  };

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

/** By id, because a list may not show it yet. */
async function recordedTarget(
  place: Place,
  input: DiscardInput,
  context: ActivityContext,
): Promise<DeleteTarget[] | Discarding> {
  const read = await readClaim(place.cluster, input.ref, context.signal);
  if (read.found === 'unknown') return againAfter(read.failure);
  const verdict = mayDiscardAll(viewOf(read), input.ref.uid);
  if (!verdict.ok || read.found !== 'claim') return { do: 'refused', why: verdict.ok ? 'gone' : verdict.why };
  const { providerID, record } = read.view;
  const id = providerID === undefined ? undefined : place.provider.instanceId(providerID);
  if (id === undefined || !record) return foundTargets(place, input, context);
  return [{ id, owner: { ...place.owner, attempt: record.attempt } }];
}

async function foundTargets(
  place: Place,
  input: DiscardInput,
  context: ActivityContext,
): Promise<DeleteTarget[] | Discarding> {
  const found = await place.provider.find(place.owner, context.signal);
  if (!found.ok) return againAfter(found.error, 3);
  const wanted = (instance: Instance): boolean =>
    input.attempt === undefined || instance.owner.attempt === input.attempt;
  return found.value.filter(wanted).map(({ id, owner }) => ({ id, owner }));
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
      const seconds = polled.ok && !polled.value.done ? polled.value.retryAfterSeconds : undefined;
      retryAfterSeconds = Math.max(retryAfterSeconds ?? 0, seconds ?? 2);
    }
    return retryAfterSeconds === undefined ? { done: true, value: null } : { done: false, retryAfterSeconds };
  };
