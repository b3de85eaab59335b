/**
 * The functions on timers, by name. Their code is loaded when one of them first runs: it is most of the product, and a worker
 * that only answers HTTP never needs it.
 */
import type { TimerFunction, TimerName } from '../../declaration.ts';

export interface CataloguedTimer {
  name: string;
  every: TimerName;
  /** The second of the minute at which it ticks, so that they don't all begin at once. */
  offset: number;
  load(): Promise<TimerFunction>;
}

export const timerCatalogue: readonly CataloguedTimer[] = [
  {
    name: 'ownership',
    every: 'ownership',
    offset: 0,
    load: async () => (await import('../../reconcilers/ownership.ts')).ownership,
  },
  {
    name: 'resync',
    every: 'resync',
    offset: 5,
    load: async () => (await import('../../reconcilers/resync.ts')).resync,
  },
  {
    name: 'node-classes',
    every: 'node-classes',
    offset: 12,
    load: async () => (await import('../../reconcilers/node-classes.ts')).nodeClasses,
  },
  {
    name: 'static-pools',
    every: 'pools',
    offset: 18,
    load: async () => (await import('../../reconcilers/static-pools.ts')).staticPools,
  },
  {
    name: 'expiration',
    every: 'expiration',
    offset: 25,
    load: async () => (await import('../../reconcilers/expiration.ts')).expiration,
  },
  {
    name: 'refresh-offerings',
    every: 'offerings',
    offset: 38,
    load: async () => (await import('../../reconcilers/refresh-offerings.ts')).refreshOfferings,
  },
  {
    name: 'garbage-collection',
    every: 'garbage-collection',
    offset: 48,
    load: async () => (await import('../../reconcilers/garbage-collection.ts')).garbageCollection,
  },
];
