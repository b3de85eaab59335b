/**
 * When each timer last ran for a cluster, and whether it went well. It stands in the state, because on serverless hosts another
 * process answers than the one that ran. Lost, it costs a warning until the next run.
 */

import { errorText } from '../../shared/base/error-text.ts';
import type { Clock } from '../../shared/base/runtime.ts';
import { cutText } from '../../shared/base/text.ts';
import { scrubText } from '../../shared/observe/log/redact.ts';
import type { State } from '../../shared/state/contract.ts';

export type Heartbeat = {
  /** When the run ended, in milliseconds. */
  at: number;
  ok: boolean;
  /** How often it runs, for whoever has to judge its age. */
  everySeconds: number;
  error?: string;
};

/** Runs that went well are not written more often than this: every write costs, and idle clusters should cost nothing. */
export const thinnedSeconds = 120;
const keepSeconds = 7 * 86_400;
const longestError = 300;

const prefixOf = (cluster: string): string => `heartbeat/${cluster}/`;

export interface Heartbeats {
  /** Never throws: a run that is done is done, whether it can be noted or not. */
  note(timer: string, cluster: string, run: { everySeconds: number; error?: unknown }): Promise<void>;
}

export function createHeartbeats({ state, clock }: { state: State; clock: Clock }): Heartbeats {
  const written = new Map<string, { at: number; ok: boolean }>();
  return {
    async note(timer, cluster, { everySeconds, error }) {
      const key = `${prefixOf(cluster)}${timer}`;
      const at = clock.now();
      const ok = error === undefined;
      const last = written.get(key);
      if (ok && last?.ok && at >= last.at && at - last.at < thinnedSeconds * 1000) return;
      const beat: Heartbeat = { at, ok, everySeconds, ...(ok ? {} : { error: safeText(error) }) };
      try {
        await state.put(key, beat, { ttlSeconds: Math.max(keepSeconds, everySeconds * 4) });
        written.set(key, { at, ok });
      } catch {
        // The next run notes itself.
      }
    },
  };
}

const safeText = (error: unknown): string => cutText(scrubText(errorText(error)), longestError);

/** By the name of the timer. */
export async function heartbeatsOf(state: State, cluster: string): Promise<Map<string, Heartbeat>> {
  const prefix = prefixOf(cluster);
  const found = new Map<string, Heartbeat>();
  for (let after: string | undefined; ; ) {
    const page = await state.list<Heartbeat>(prefix, after === undefined ? {} : { after });
    for (const { key, value } of page.items) found.set(key.slice(prefix.length), value);
    if (page.next === undefined) return found;
    after = page.next;
  }
}
