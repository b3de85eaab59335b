/** When a cluster last asked the webhook: noted by the one process, told by another. */

import type { Check } from '../../../../../shared/base/checks.ts';
import { formatSeconds } from '../../../../../shared/base/durations.ts';
import type { Clock } from '../../../../../shared/base/runtime.ts';
import type { State } from '../../../../../shared/state/contract.ts';
import type { FunctionServices } from '../../../../declaration.ts';

const keyOf = (cluster: string): string => `webhook-seen/${cluster}`;
const keepSeconds = 7 * 86_400;
/** Whoever makes claims waits for the answer: it is noted now and then, not each time. */
const thinnedMs = 300_000;

/** Never throws, and answers at once nearly always. */
export function admissionNotes({ state, clock }: { state: State; clock: Clock }): (cluster: string) => Promise<void> {
  const noted = new Map<string, number>();
  return async (cluster) => {
    const now = clock.now();
    const last = noted.get(cluster);
    if (last !== undefined && now >= last && now - last < thinnedMs) return;
    // Before the write: others who ask meanwhile need not write too.
    noted.set(cluster, now);
    await state.put(keyOf(cluster), now, { ttlSeconds: keepSeconds }).catch(() => undefined);
  };
}

/** Whether there should have been any, only the cluster knows. */
export async function admissionChecks({ state, clock }: FunctionServices, cluster: string): Promise<Check[]> {
  const seen = await state.get<number>(keyOf(cluster));
  const message =
    seen === undefined
      ? `no admission request in the last ${formatSeconds(keepSeconds)}; this is expected if no webhook is installed`
      : `the last admission request came ${formatSeconds(Math.max(0, Math.round((clock.now() - seen.value) / 1000)))} ago, or later`;
  return [{ name: `cluster ${cluster}: webhook`, state: 'pass', message }];
}
