/** So many calls per second to one server, and so many at once after a pause. A short wait is spent here, a longer one is the caller's. */
import { draw, newBucket, type Rate } from '../../base/pace/request-bucket.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock, Random } from '../../base/runtime.ts';
import { pause, type Timers } from '../../base/timers.ts';

export interface CallPace {
  /** `throttled`, with the time to come back, when there is no room soon. */
  enter(signal: AbortSignal): Promise<Result<void>>;
}

const usualPatienceMs = 5000;

export function createCallPace(
  server: string,
  rate: Rate,
  parts: { clock: Clock; random: Random; timers: Timers },
  patienceMs = usualPatienceMs,
): CallPace {
  const { clock, random, timers } = parts;
  let bucket = newBucket();
  return {
    enter: async (signal) => {
      const admission = draw(bucket, rate, clock.now(), patienceMs);
      bucket = admission.bucket;
      if ('comeBackMs' in admission) {
        const message = `more calls than provider server ${server} takes (${rate.burst} at once, ${rate.perSecond} per second); the call is queued`;
        // Those who are put off at one moment do not come back at one moment.
        const seconds = (admission.comeBackMs / 1000) * (1 + random() / 2);
        return failed('throttled', message, { retryAfterSeconds: Math.ceil(seconds * 1000) / 1000 });
      }
      if (admission.goMs > 0) await pause(admission.goMs, signal, timers);
      return signal.aborted ? failed('unavailable', 'the call was stopped before it was sent') : ok(undefined);
    },
  };
}
