/**
 * One run per pool at a time, also over several processes. The lock only saves work and keeps the number exact: two runs
 * at once would choose the same names, so that what they make together is still right.
 */
import type { LifecycleServices } from '../steps/services.ts';

/** A run that dies leaves its lock behind for so long. */
const lockSeconds = 60;

export interface Turn {
  /** No write begins after this time: by then another run may have the lock. */
  readonly until: number;
}

/** Undefined when somebody else is at it. */
export async function withLock<T>(
  { state, clock }: Pick<LifecycleServices, 'state' | 'clock'>,
  key: string,
  run: (turn: Turn) => Promise<T>,
): Promise<T | undefined> {
  const until = clock.now() + (lockSeconds * 1000) / 2;
  const version = await state.put(`lock/${key}`, true, { ifVersion: null, ttlSeconds: lockSeconds });
  if (version === undefined) return undefined;
  try {
    return await run({ until });
  } finally {
    await state.delete(`lock/${key}`, { ifVersion: version });
  }
}
