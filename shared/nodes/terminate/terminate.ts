/**
 * terminate: from a deleted claim to nothing left, at the cloud and in the cluster; only then does the finalizer go.
 * One per claim uid and epoch.
 */
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { defineWorkflow, now, poll, type Steps, sleep, waitSignal } from '../../workflow/vocabulary.ts';
import { discard, discardRecorded } from '../discard/discard.ts';
import {
  type BeginTerminateResult,
  type DrainResult,
  type FinishResult,
  type NodeSeen,
  providerIn,
} from '../steps/answers.ts';
import type { DrainTarget } from '../steps/drain-target.ts';
import { type Cause, type Started, withoutCause } from '../steps/report/cause.ts';
import { boundedLife, callUntilAnswered, lookSignal, TooManyRounds } from '../steps/retry-later.ts';
import type { ClaimRef } from '../steps/services.ts';

/** A launch that is told to stop does so at its next step; longer than this, the resync starts terminate anew. */
const launchStopSeconds = 300;
const maxRounds = 10;
/** A drain may last for days, a history may not: after so many rounds the next epoch goes on. */
const maxDrainRounds = 120;

export const terminate = defineWorkflow({
  name: 'terminate',
  version: 2,
  run: (started: Started) => boundedLife(steps(withoutCause(started), started.cause)),
});

function* steps(ref: ClaimRef, cause: Cause | undefined): Steps<Json> {
  const begun = yield* beginWithoutLaunch(ref, cause);
  if (begun.do !== 'go') return { end: begun.do === 'end' ? begun.why : 'the launch has not stopped yet' };
  const { settleSeconds, at, empty, target } = begun;
  const of = providerIn(begun);

  // The drain runs while the wait does.
  let nodes = empty ? [] : yield* drain(ref, at, target);

  if (settleSeconds > 0) {
    const rest = settleSeconds - ((yield* now()) - at) / 1000;
    if (rest > 0) yield* sleep(rest);
    // By now every list shows the machine that the claim does not name, if there is one.
    if (target.unrecorded !== undefined && nodes.length === 0 && !empty) nodes = yield* drain(ref, at, target);
  }
  for (let round = 0; round < maxRounds; round++) {
    if (!empty) {
      const recorded = settleSeconds === 0 && round === 0;
      const clean = yield* recorded ? discardRecorded({ ref, ...of }) : discard({ ref, ...of });
      if (!clean) return { end: 'the claim is no longer being deleted' };
    }
    const finished = yield* callUntilAnswered<FinishResult>('finish', { ref, ...of, empty, nodes });
    if (finished.do === 'finished') return { end: 'gone' };
    if (finished.do === 'refused') return { end: `claim ${finished.why}` };
  }
  return { end: 'instances kept appearing; the next epoch continues' };
}

function* drain(ref: ClaimRef, since: number, target: DrainTarget): Steps<NodeSeen[]> {
  let step = yield* callUntilAnswered<DrainResult>('drain', { ref, since, idle: 0, target });
  let idle = 0;
  for (let round = 0; round < maxDrainRounds; round++) {
    if (step.do === 'drained') return step.nodes;
    const { seconds, progress, said } = step;
    yield* waitSignal(lookSignal, seconds);
    step = yield* callUntilAnswered<DrainResult>('drain', { ref, since, idle, ...(said ? { said } : {}) });
    idle = step.do === 'wait' && step.progress === progress ? idle + 1 : 0;
  }
  throw new TooManyRounds(`the node was still draining after ${maxDrainRounds} checks`);
}

function* beginWithoutLaunch(
  ref: ClaimRef,
  cause: Cause | undefined,
): Steps<Exclude<BeginTerminateResult, { do: 'again' }>> {
  const input = { ref, ...defined({ cause }) };
  const begun = yield* callUntilAnswered<BeginTerminateResult>('beginTerminate', input);
  if (begun.do !== 'launch-runs') return begun;
  yield* poll('launchStopped', { ref }, { everySeconds: 1, forSeconds: launchStopSeconds });
  return yield* callUntilAnswered<BeginTerminateResult>('beginTerminate', input);
}
