/** Keeps the status of node classes true, on a timer; a change to one is looked at at once (`watchers/event-watcher.ts`). */
import { reconcileNodeClasses } from '../../shared/nodes/pools/node-classes.ts';
import type { TimerFunction } from '../declaration.ts';

export const nodeClasses: TimerFunction = {
  name: 'node-classes',
  trigger: { type: 'timer', every: 'node-classes' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (cluster) await reconcileNodeClasses(services, cluster, signal);
  },
};
