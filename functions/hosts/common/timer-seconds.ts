/** How often each timer runs for a cluster. */
import type { ClusterConfig, Config } from '../../../shared/config/load.ts';
import type { TimerName } from '../../declaration.ts';

type Interval = (cluster: ClusterConfig, config: Config) => number;

export const timerSeconds: Readonly<Record<TimerName, Interval>> = {
  // Four looks in the time of a Lease: two may fail, and it still lives.
  ownership: ({ lease }) => lease.seconds / 4,
  resync: ({ resyncSeconds }) => resyncSeconds,
  offerings: (_, { offerings }) => offerings.refreshSeconds,
  'node-classes': ({ reconcile }) => reconcile.nodeClasses,
  pools: ({ reconcile }) => reconcile.pools,
  expiration: ({ reconcile }) => reconcile.expiration,
  'garbage-collection': ({ garbageCollection }) => garbageCollection.everySeconds,
};
