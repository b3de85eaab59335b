/** Looks after requests for clusters, on a timer: what events have missed, what time brings, and what nobody asks for any more. */
import type { TimerFunction } from '../declaration.ts';

export const clusterRequests: TimerFunction = {
  name: 'cluster-requests',
  trigger: { type: 'timer', every: 'cluster-requests' },
  async run({ requests, ownership }, placeName, signal) {
    const place = requests?.place(placeName);
    if (requests === undefined || place === undefined) return;
    // The state belongs to this deployment alone.
    if (place.api !== undefined && !(await ownership.standing(placeName)).acts) return;
    // Most deployments make no clusters.
    const { lookAfterRequests } = await import('../../shared/clusters/upkeep/look-after.ts');
    await lookAfterRequests(requests, place, signal);
  },
};
