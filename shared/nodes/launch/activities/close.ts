/** close: take the attempt back (rule 3), and take back what the status said of it. */

import type { ActivityContext } from '../../../workflow/contract.ts';
import { formatRecord } from '../../claims/attempt/annotation.ts';
import { closeAttempt, settleSeconds } from '../../claims/attempt/attempt.ts';
import { annotations } from '../../claims/spec/well-known.ts';
import { priceChange } from '../../offerings/price.ts';
import type { CloseInput, CloseResult } from '../../steps/answers.ts';
import { type ClaimChange, changeClaim, viewOf } from '../../steps/claim-access.ts';
import { clearStatus } from '../../steps/clear-status.ts';
import { findClaimContext, isAgain } from '../../steps/lookup.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { againAfter } from '../../steps/retry-later.ts';
import { epochOf, type LifecycleServices, logFor } from '../../steps/services.ts';

export const close =
  (services: LifecycleServices) =>
  async (input: CloseInput, context: ActivityContext): Promise<CloseResult> => {
    const { ref, attempt, failure, reason, refusedTo } = input;
    const place = await findClaimContext(services, ref, input.provider);
    if (isAgain(place)) return place;
    const { cluster, provider } = place;
    const closer = { id: `${context.workflowId}#${services.ids.next()}`, epoch: epochOf(context.workflowId) };

    const closed = await changeClaim(
      cluster,
      ref,
      (read): ClaimChange<ReturnType<typeof closeAttempt>> => {
        const verdict = closeAttempt(viewOf(read), ref.uid, attempt, closer, refusedTo);
        if (!verdict.ok || read.found !== 'claim') return { write: undefined, result: verdict };
        const record = { [annotations.attempt]: formatRecord(verdict.record) };
        // What is over costs nothing.
        const write = { metadata: { annotations: { ...record, ...priceChange(read.claim, null) } } };
        return { write, result: verdict };
      },
      context.signal,
    );
    if (!closed.ok) return againAfter(closed.failure);
    if (!closed.result.ok) return { do: 'refused', why: closed.result.why };

    const why = { reason, message: failure.message };
    const cleared = await clearStatus(services, cluster, ref, attempt, why, context.signal);
    if (!cleared.ok) return againAfter(cleared.failure);
    if (!cleared.result) return { do: 'refused', why: 'moved-on' };

    logFor(services, ref, context.workflowId).write('attempt.closed', { attempt, reason, problem: failure.message });
    const seconds = closed.result.settle ? settleSeconds(provider.traits) : 0;
    const { kind, message } = failure;
    await recordDecision(services, ref, 'attempt-closed', { attempt, reason, kind, message, settleSeconds: seconds });
    return { do: 'closed', settleSeconds: seconds, closer };
  };
