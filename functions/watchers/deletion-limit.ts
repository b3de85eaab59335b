/**
 * At most so many claims of a cluster are deleted in a minute because of events, whatever the events say: if there is a mistake in what
 * sends them, or in how they are checked, somebody has the time to notice. What a user or a pool deletes is not counted, nor
 * what the cloud announces on its own queue.
 */
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import type { FunctionServices } from '../declaration.ts';

const minuteMs = 60_000;

/** Counts one more, or says in how many seconds there is room for it. */
export async function waitToDelete(
  { state, clock }: FunctionServices,
  { name, deletionsPerMinute }: ClusterServices,
): Promise<number | undefined> {
  if (deletionsPerMinute === undefined) return undefined;
  for (;;) {
    const now = clock.now();
    const minute = Math.floor(now / minuteMs);
    const key = `event-deletions/${name}/${minute}`;
    const counted = await state.get<number>(key);
    const deleted = counted?.value ?? 0;
    if (deleted >= deletionsPerMinute) return Math.ceil(((minute + 1) * minuteMs - now) / 1000);
    // Others count at the same time: only one of those who saw the same number goes on.
    const put = await state.put(key, deleted + 1, { ifVersion: counted?.version ?? null, ttlSeconds: 120 });
    if (put !== undefined) return undefined;
  }
}
