import type { Clock } from '../../../shared/base/runtime.ts';

export interface CallLimit {
  /** Undefined: the call may go. Else: after so many seconds there is room. */
  enter(): number | undefined;
}

/** So many calls per second, and so many at once after a pause. */
export function createCallLimit({ qps, burst }: { qps: number; burst: number }, clock: Clock): CallLimit {
  let tokens = burst;
  let at = clock.monotonic();
  return {
    enter: () => {
      const now = clock.monotonic();
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * qps);
      at = now;
      if (tokens < 1) return (1 - tokens) / qps;
      tokens -= 1;
      return;
    },
  };
}
