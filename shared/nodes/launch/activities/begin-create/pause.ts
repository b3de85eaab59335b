/** A paused cluster or provider buys nothing. */

import { mayRecord } from '../../../claims/attempt/attempt.ts';
import { pausedBy } from '../../../pauses/pauses.ts';
import type { BeginCreateResult } from '../../../steps/answers.ts';
import { viewInstance } from '../../../steps/instance-view.ts';
import { recordDecision } from '../../../steps/report/decision-log.ts';
import { setWaitingCondition } from '../../../steps/waiting.ts';
import type { Claimed } from './facts.ts';
import { whatIsThere } from './found-instance.ts';
import { type Stop, stop } from './gates.ts';
import { withoutTurn } from './turn.ts';

/** How often a paused claim looks whether the pause is over. */
const pausedSeconds = 15;

/** Here too, because a create that the cloud puts off is begun again for hours without another choice. */
export async function pause(facts: Claimed): Promise<Stop | object> {
  const { services, input, context } = facts;
  const { cluster, provider } = facts.place;
  const paused = await pausedBy(services, cluster, provider.name);
  if (!paused) return {};
  const made = await madeBefore(facts);
  if (made) return stop(made);
  await setWaitingCondition(services, cluster, input.ref, 'Paused', paused, context.signal);
  const seconds = pausedSeconds * (0.75 + services.random() / 2);
  return await withoutTurn(facts, { do: 'again', seconds, why: paused });
}

/**
 * Reading is allowed during a pause: an execution before this one may have made the machine and died before it could say so.
 * Then the claim goes on with it, instead of paying for a machine that nobody uses until the pause ends.
 */
async function madeBefore({ services, input, context, place, read }: Claimed): Promise<BeginCreateResult | undefined> {
  const { ref, attempt } = input;
  const { record } = read.view;
  if (record?.attempt !== attempt || record.state !== 'open') return undefined;
  const found = await place.provider.find(place.claim, context.signal);
  const instance = found.ok
    ? found.value.find((one) => one.owner.attempt === attempt && one.state !== 'deleting')
    : undefined;
  if (!instance) return undefined;
  if (!mayRecord(read.view, ref.uid, attempt, viewInstance(instance, place.cluster, read.view)).ok) return undefined;
  await recordDecision(services, ref, 'made-before-pause', { attempt, instance: instance.id });
  return whatIsThere(services, instance);
}
