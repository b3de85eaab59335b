/**
 * delete-cluster: from a deleted request to nothing left of what it has made; only then does the request go. One per request and epoch.
 */
import type { Json } from '../../base/json.ts';
import { defineWorkflow, poll, type Steps } from '../../workflow/vocabulary.ts';
import type { RequestRef } from '../services.ts';
import type { BeginRemovalResult, ReleaseResult, RemovalResult } from '../steps/answers.ts';
import { tell } from './provision.ts';
import { untilAnswered } from './until-answered.ts';

/** A provisioning that runs sees the deletion at its next step. Should it not: what it writes late makes nothing anew. */
const provisionStopSeconds = 180;
const everySeconds = 15;
/** Azure takes a quarter of an hour. What takes longer goes on in the next epoch. */
const removalSeconds = 2 * 3600;
const maxRounds = 5;

export const deleteCluster = defineWorkflow({
  name: 'delete-cluster',
  version: 1,
  *run(ref: RequestRef): Steps<Json> {
    const begun = yield* untilAnswered<BeginRemovalResult>('beginRemoval', { ref });
    if (begun === undefined) return { end: 'the removal could not begin yet' };
    if (begun.do === 'end') return { end: begun.why };
    if (begun.do === 'provision-runs') {
      yield* poll('provisionStopped', { ref }, { everySeconds: 1, forSeconds: provisionStopSeconds });
    }
    for (let round = 0; round < maxRounds; round++) {
      const input = { everySeconds, forSeconds: removalSeconds };
      const removed = yield* poll<RemovalResult>('removeRequest', { ref }, input);
      if (!removed.done) return { end: 'something is not gone yet; the next epoch continues' };
      if (removed.value.do === 'stop') return { end: removed.value.why };
      if (round === 0) yield* tell(ref, 'deleted');
      const released = yield* untilAnswered<ReleaseResult>('releaseRequest', { ref });
      if (released?.do === 'released') return { end: 'gone' };
      if (released === undefined) return { end: 'the request could not be released yet' };
    }
    return { end: 'something kept appearing; the next epoch continues' };
  },
});
