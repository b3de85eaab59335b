/** Deletes claims whose time is over, on a timer. The rules stand in `shared/nodes/pools/end-of-claims.ts`. */
import { endClaims } from '../../shared/nodes/pools/end-of-claims.ts';
import type { TimerFunction } from '../declaration.ts';

export const expiration: TimerFunction = {
  name: 'expiration',
  trigger: { type: 'timer', every: 'expiration' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (cluster) await endClaims(services, cluster, signal);
  },
};
