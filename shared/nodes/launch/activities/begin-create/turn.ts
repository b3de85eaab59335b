/** A turn for a cloud that takes few operations at a time, and giving it back. */

import type { ClaimView } from '../../../claims/attempt/attempt.ts';
import { endOperationTurn, takeOperationTurn } from '../../../pauses/operation-turns.ts';
import type { BeginCreateResult } from '../../../steps/answers.ts';
import { recordDecision } from '../../../steps/report/decision-log.ts';
import { setWaitingCondition } from '../../../steps/waiting.ts';
import type { Placed } from './facts.ts';
import { type Stop, stop } from './gates.ts';

export async function turn({ services, input, context, place }: Placed): Promise<Stop | object> {
  const { ref } = input;
  const noTurn = await takeOperationTurn(services, place, ref, 'launch');
  if (!noTurn) return {};
  await setWaitingCondition(services, place.cluster, ref, 'WaitingForTurn', noTurn.why, context.signal);
  await recordDecision(services, ref, 'operation-waits', { message: noTurn.why });
  return stop({ do: 'again', ...noTurn });
}

/** Nothing is under way, and nothing will be by this answer: the next claim in line may have the turn. */
export async function withoutTurn({ services, place, input }: Placed, begun: BeginCreateResult): Promise<Stop> {
  await endOperationTurn(services, place, input.ref.uid);
  return stop(begun);
}

/** What an earlier execution began may still run: then its turn stays, for the step that takes away what it made. */
export const unlessBegun = async (facts: Placed, view: ClaimView, begun: BeginCreateResult): Promise<Stop> =>
  mayHaveBegun(view, facts.input.attempt) ? stop(begun) : await withoutTurn(facts, begun);

const mayHaveBegun = ({ record }: ClaimView, attempt: number): boolean =>
  record?.attempt === attempt && record.state === 'open' && record.rights > 0;
