/**
 * Keeps a timer that may outlast its tick from running twice for a cluster. The platform starts another process for the next tick,
 * so the mark stands in the state. It has a time to live: a process that is lost with it holds nobody up for longer.
 */
import type { TimerFunction } from '../../declaration.ts';

/** @param limitMs After which a run has ended in any case. */
export const oneAtATime = (timer: TimerFunction, limitMs: number): TimerFunction => ({
  ...timer,
  run: async (services, cluster, signal) => {
    const key = `timer-running/${timer.name}/${cluster}`;
    const version = await services.state.put(key, true, { ifVersion: null, ttlSeconds: Math.ceil(limitMs / 1000) });
    if (version === undefined) return;
    try {
      await timer.run(services, cluster, signal);
    } finally {
      await services.state.delete(key, { ifVersion: version });
    }
  },
});
