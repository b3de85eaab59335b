/** The provider has room for one more create. */

import type { Failure } from '../../../../base/result.ts';
import { instanceToken } from '../../../claims/attempt/names.ts';
import { decide, pauseAfter } from '../../../claims/decisions.ts';
import type { BeginCreateResult } from '../../../steps/answers.ts';
import { recordDecision } from '../../../steps/report/decision-log.ts';
import { setWaitingCondition } from '../../../steps/waiting.ts';
import type { Claimed } from './facts.ts';
import type { Stop } from './gates.ts';
import { unlessBegun } from './turn.ts';

export async function room(facts: Claimed): Promise<Stop | object> {
  const { input, context, place, read } = facts;
  const answer = await place.provider.roomToCreate?.(instanceToken(input.ref.uid, input.attempt), context.signal);
  if (answer?.ok !== false) return {};
  return await unlessBegun(facts, read.view, await putOff(facts, answer.error));
}

/** Before the right was taken: nothing was asked of the cloud, and nothing has to be found out about it. */
async function putOff({ services, input, context, place }: Claimed, failure: Failure): Promise<BeginCreateResult> {
  const { ref } = input;
  const decision = decide('create', failure);
  const why = `${failure.kind}: ${failure.message}`;
  if (decision.condition)
    await setWaitingCondition(services, place.cluster, ref, decision.condition.reason, failure.message, context.signal);
  await recordDecision(services, ref, 'create-put-off', { kind: failure.kind, message: failure.message });
  return { do: 'again', seconds: pauseAfter(decision, failure, 1, services.random), why };
}
