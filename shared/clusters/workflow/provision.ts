/**
 * provision-cluster: from a request to a cluster that is ready for its user, stage by stage. One per request and epoch. It knows nothing
 * but the order; what is to be done is read from the request in every step, so it may begin anew at any time.
 */
import type { Json } from '../../base/json.ts';
import { defineWorkflow, poll, type Steps } from '../../workflow/vocabulary.ts';
import type { RequestRef } from '../services.ts';
import type { BeginResult, FinishResult, NotifyResult, StageResult } from '../steps/answers.ts';
import { untilAnswered } from './until-answered.ts';

/** The activity itself knows the deadline of its stage; this is for one that is never reached. */
const slackSeconds = 600;
const everySeconds = 15;
/** A request that changes again and again gets a new history now and then. */
const maxAttempts = 10;
const noticeTries = 5;

export const provisionCluster = defineWorkflow({
  name: 'provision-cluster',
  version: 1,
  *run(ref: RequestRef): Steps<Json> {
    for (let round = 0; round < maxAttempts; round++) {
      const begun = yield* untilAnswered<BeginResult>('beginRequest', { ref });
      if (begun === undefined) return { end: 'the request could not be judged yet' };
      if (begun.do === 'end') {
        if (begun.failed === true) yield* tell(ref, 'failed');
        return { end: begun.why };
      }
      const end = yield* attempt(ref, begun);
      if (end !== undefined) return { end };
    }
    return { end: 'the request kept changing; the next epoch continues' };
  },
});

/** Undefined: the request has changed, and is judged anew. */
function* attempt(
  ref: RequestRef,
  { attempt: number, stages }: Extract<BeginResult, { do: 'go' }>,
): Steps<string | undefined> {
  for (const { stage, deadlineSeconds } of stages) {
    const input = { ref, attempt: number, stage };
    const outcome = yield* poll<StageResult>('advanceStage', input, {
      everySeconds,
      forSeconds: deadlineSeconds + slackSeconds,
    });
    if (!outcome.done) return `stage ${stage} had no result; the next epoch continues`;
    if (outcome.value.do === 'stop') return undefined;
    if (outcome.value.do === 'failed') {
      yield* tell(ref, 'failed');
      return outcome.value.code;
    }
  }
  const finished = yield* untilAnswered<FinishResult>('finishRequest', { ref, attempt: number });
  if (finished === undefined) return 'what is left over is not gone yet; the next epoch continues';
  if (finished.do === 'stop') return undefined;
  yield* tell(ref, 'ready');
  return 'ready';
}

export function* tell(ref: RequestRef, type: 'ready' | 'failed' | 'deleted'): Steps<void> {
  yield* untilAnswered<NotifyResult>('notifyRequest', { ref, type }, noticeTries);
}
