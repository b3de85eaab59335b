/** A timer that leaves a heartbeat behind, for whoever asks whether it is alive. */

import type { State } from '../../../shared/state/contract.ts';
import type { TimerFunction } from '../../declaration.ts';
import { createHeartbeats, type Heartbeats } from '../../reconcilers/heartbeat.ts';

/** One per store, so that what was written lately is known to all timers of a process. */
const known = new WeakMap<State, Heartbeats>();

/** A run that hangs leaves none: its age tells. */
export const withHeartbeat = (timer: TimerFunction, everySeconds: (cluster: string) => number): TimerFunction => ({
  ...timer,
  async run(services, cluster, signal) {
    const heartbeats = known.get(services.state) ?? createHeartbeats(services);
    known.set(services.state, heartbeats);
    const note = (more: { error?: unknown }): Promise<void> =>
      heartbeats.note(timer.name, cluster, { everySeconds: everySeconds(cluster), ...more });
    try {
      await timer.run(services, cluster, signal);
    } catch (error) {
      // Who stops a host has not made its timers fail.
      if (!signal.aborted) await note({ error });
      throw error;
    }
    if (!signal.aborted) await note({});
  },
});
