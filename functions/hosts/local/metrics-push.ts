/** Pushes metrics from one machine: on a timer, beside `/metrics`, and once more at the end, so that the last numbers are not lost. */

import { pause, systemTimers, type Timers } from '../../../shared/base/timers.ts';
import type { OtlpPush } from '../../../shared/observe/otlp/push.ts';

/** A push decides itself whether it is time; this is how often it is asked. */
const lookMs = 1000;

/** Runs until the signal fires; resolves when the last push has ended. */
export async function pushUntil(
  opening: Promise<OtlpPush | undefined>,
  signal: AbortSignal,
  timers: Timers = systemTimers,
): Promise<void> {
  const push = await opening;
  if (push === undefined) return;
  while (!signal.aborted) {
    await push.ifDue();
    await pause(lookMs, signal, timers);
  }
  await push.now();
}
