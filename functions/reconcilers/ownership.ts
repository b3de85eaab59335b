/**
 * Keeps the Lease of one cluster alive, on a timer, also while nothing is to be done. When we become the one who acts, the
 * resync runs at once: what came in while another one was in charge waits for nobody's event.
 */
import type { TimerFunction } from '../declaration.ts';
import { resync } from './resync.ts';

export const ownership: TimerFunction = {
  name: 'ownership',
  trigger: { type: 'timer', every: 'ownership' },
  async run(services, cluster, signal) {
    const key = `acted/${cluster}`;
    const before = await services.state.get<boolean>(key);
    const { acts } = await services.ownership.renew(cluster, signal);
    if (before?.value === acts) return;
    await services.state.put(key, acts);
    // The first time, the resync's own timer has begun with it.
    if (acts && before) await resync.run(services, cluster, signal);
  },
};
