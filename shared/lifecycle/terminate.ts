/**
 * terminate: from a deleted claim to nothing left, at the cloud and in the cluster; only then does the finalizer go.
 * One per claim uid and epoch.
 */
import type { Json } from '../json.ts';
import { defineWorkflow, now, poll, type Steps, sleep } from '../workflow/vocabulary.ts';
import { finite, insist } from './again.ts';
import type { Finished, TerminateBegun } from './answers.ts';
import { discard, discardRecorded } from './discard.ts';
import type { ClaimRef } from './services.ts';

/** A launch that is told to stop does so at its next step; longer than this, the resync starts terminate anew. */
const launchStopSeconds = 300;
const maxRounds = 10;

export const terminate = defineWorkflow({
  name: 'terminate',
  version: 1,
  run: (ref: ClaimRef) => finite(steps(ref)),
});

function* steps(ref: ClaimRef): Steps<Json> {
  const begun = yield* beginWithoutLaunch(ref);
  if (begun.do !== 'go') return { end: begun.do === 'end' ? begun.why : 'the launch has not stopped yet' };
  const { provider, settleSeconds, at, empty, drainSeconds } = begun;

  // The drain runs while the wait does.
  yield* poll('drain', { ref }, { everySeconds: 1, forSeconds: drainSeconds });

  if (settleSeconds > 0) {
    const rest = settleSeconds - ((yield* now()) - at) / 1000;
    if (rest > 0) yield* sleep(rest);
  }
  for (let round = 0; round < maxRounds; round++) {
    if (!empty) {
      const recorded = settleSeconds === 0 && round === 0;
      const clean = yield* recorded ? discardRecorded({ ref, provider }) : discard({ ref, provider });
      if (!clean) return { end: 'the claim is no longer being deleted' };
    }
    const finished = yield* insist<Finished>('finish', { ref, provider, empty });
    if (finished.do === 'finished') return { end: 'gone' };
    if (finished.do === 'refused') return { end: `claim ${finished.why}` };
  }
  return { end: 'instances kept appearing; the next epoch goes on' };
}

function* beginWithoutLaunch(ref: ClaimRef): Steps<Exclude<TerminateBegun, { do: 'again' }>> {
  const begun = yield* insist<TerminateBegun>('beginTerminate', { ref });
  if (begun.do !== 'launch-runs') return begun;
  yield* poll('launchStopped', { ref }, { everySeconds: 1, forSeconds: launchStopSeconds });
  return yield* insist<TerminateBegun>('beginTerminate', { ref });
}
