/**
 * Every function, declared once; the hosts iterate over these lists. Their code is loaded when one of them first runs: it is most of
 * the product, and a worker that only answers HTTP never needs it. Routes are in `http/routes.ts`, because an HTTP app needs all of them.
 */
import type { RequestActivityName } from '../shared/clusters/bound-activities.ts';
import { machinePlacesOf } from '../shared/config/machine-places.ts';
import { requestPlacesOf } from '../shared/config/request-places.ts';
import type { ClusterConfig, Config } from '../shared/config/resolve.ts';
import type { MachineActivityName } from '../shared/machines/bound-activities.ts';
import type { ActivityName } from '../shared/nodes/activities.ts';
import { deployedProviders, provisionerName } from '../shared/providers/deployed.ts';
import type { QueueFunction, TimerFunction } from './declaration.ts';

export interface CatalogedWatcher {
  readonly name: string;
  readonly queue: QueueFunction['trigger']['queue'];
  load(): Promise<QueueFunction>;
}

const watchers = [
  {
    name: 'watch-events',
    queue: 'events',
    load: async () => (await import('./watchers/event-watcher.ts')).eventWatcher,
  },
  {
    name: 'watch-interruptions',
    queue: 'interruptions',
    load: async () => (await import('./watchers/interruption-watcher.ts')).interruptionWatcher,
  },
] as const satisfies readonly CatalogedWatcher[];

export const watcherNames: readonly string[] = watchers.map(({ name }) => name);

export const watcherOf = (queue: CatalogedWatcher['queue']): CatalogedWatcher =>
  // Every queue has one.
  watchers.find((watcher) => watcher.queue === queue) as CatalogedWatcher;

export interface CatalogedReconciler {
  readonly name: string;
  /** What the configuration and the metrics call its period. */
  readonly every: string;
  /** The field that says it, below a cluster or at the top; a host that decides early reads the configuration only if it is there. */
  readonly field: string;
  seconds(cluster: ClusterConfig, config: Config): number;
  /** Instead of every cluster: what it runs for, and how often. */
  turns?(config: Config): readonly Turn[];
  /** What a configuration contains that says how often, where that is more than the field. */
  readonly saidBy?: string;
  /** Where the configuration says nothing: known without reading it (a test compares). */
  readonly usualSeconds: number;
  /** The second of the minute at which it ticks on a platform, so that they don't all begin at once. */
  readonly offset: number;
  /** A host that starts waits this long before the first run. */
  readonly afterSeconds?: number;
  /** It lists whole clusters, which may take longer than a tick; the next tick then leaves it alone. */
  readonly long?: true;
  load(): Promise<TimerFunction>;
}

/** What a reconciler runs for: a cluster, or another place that it looks after. */
export interface Turn {
  readonly name: string;
  readonly everySeconds: number;
}

export const reconcilers = [
  {
    name: 'ownership',
    every: 'ownership',
    field: 'lease.seconds',
    // Four looks in the time of a Lease: two may fail, and it still lives.
    seconds: ({ lease }: ClusterConfig) => lease.seconds / 4,
    usualSeconds: 30,
    offset: 0,
    load: async () => (await import('./reconcilers/ownership.ts')).ownership,
  },
  {
    name: 'resync',
    every: 'resync',
    field: 'resyncSeconds',
    seconds: ({ resyncSeconds }: ClusterConfig) => resyncSeconds,
    usualSeconds: 60,
    offset: 5,
    long: true,
    load: async () => (await import('./reconcilers/resync.ts')).resync,
  },
  {
    name: 'node-classes',
    every: 'node-classes',
    field: 'reconcile.nodeClasses',
    seconds: ({ reconcile }: ClusterConfig) => reconcile.nodeClasses,
    usualSeconds: 60,
    offset: 12,
    load: async () => (await import('./reconcilers/node-classes.ts')).nodeClasses,
  },
  {
    name: 'static-pools',
    every: 'pools',
    field: 'reconcile.pools',
    seconds: ({ reconcile }: ClusterConfig) => reconcile.pools,
    usualSeconds: 30,
    offset: 18,
    // A pool that was never looked at waits for the first look at its node class.
    afterSeconds: 1,
    load: async () => (await import('./reconcilers/static-pools.ts')).staticPools,
  },
  {
    name: 'expiration',
    every: 'expiration',
    field: 'reconcile.expiration',
    seconds: ({ reconcile }: ClusterConfig) => reconcile.expiration,
    usualSeconds: 60,
    offset: 25,
    load: async () => (await import('./reconcilers/expiration.ts')).expiration,
  },
  {
    name: 'refresh-offerings',
    every: 'offerings',
    field: 'offerings.refreshSeconds',
    seconds: (_: ClusterConfig, { offerings }: Config) => offerings.refreshSeconds,
    usualSeconds: 300,
    offset: 38,
    long: true,
    load: async () => (await import('./reconcilers/refresh-offerings.ts')).refreshOfferings,
  },
  {
    name: 'garbage-collection',
    every: 'garbage-collection',
    field: 'garbageCollection.everySeconds',
    seconds: ({ garbageCollection }: ClusterConfig) => garbageCollection.everySeconds,
    usualSeconds: 120,
    offset: 48,
    // When the first resync is through, so that what runs is known.
    afterSeconds: 5,
    long: true,
    load: async () => (await import('./reconcilers/garbage-collection.ts')).garbageCollection,
  },
  {
    name: 'cluster-requests',
    every: 'cluster-requests',
    field: 'clusterRequests.everySeconds',
    saidBy: 'clusterRequests',
    seconds: ({ clusterRequests }: ClusterConfig) => clusterRequests?.everySeconds ?? 300,
    turns: requestPlacesOf,
    // Nothing to be done for a deployment that makes no clusters.
    usualSeconds: 300,
    offset: 30,
    afterSeconds: 2,
    long: true,
    load: async () => (await import('./reconcilers/cluster-requests.ts')).clusterRequests,
  },
  {
    name: 'machine-providers',
    every: 'machine-providers',
    field: 'machineProviders.everySeconds',
    saidBy: 'machineProviders',
    seconds: ({ machineProviders }: ClusterConfig) => machineProviders?.everySeconds ?? 300,
    // Only where this is asked for: another manager may run them elsewhere.
    turns: ({ clusters }: Config) =>
      Object.entries(clusters).flatMap(([name, { machineProviders }]): Turn[] =>
        machineProviders === undefined ? [] : [{ name, everySeconds: machineProviders.everySeconds }],
      ),
    // Nothing to be done for a deployment without Providers.
    usualSeconds: 300,
    offset: 54,
    afterSeconds: 2,
    load: async () => (await import('./reconcilers/machine-providers.ts')).machineProviders,
  },
  {
    name: 'virtual-machines',
    every: 'virtual-machines',
    field: 'machines.everySeconds',
    saidBy: 'machines',
    seconds: ({ machines }: ClusterConfig) => machines?.everySeconds ?? 300,
    turns: machinePlacesOf,
    // Nothing to be done for a deployment without virtual machines.
    usualSeconds: 300,
    offset: 35,
    afterSeconds: 2,
    long: true,
    load: async () => (await import('./reconcilers/virtual-machines.ts')).virtualMachines,
  },
] as const satisfies readonly CatalogedReconciler[];

export type TimerName = (typeof reconcilers)[number]['every'];

export const reconcilerOf = (timer: TimerName): CatalogedReconciler =>
  // Every name is one of the list's own.
  reconcilers.find(({ every }) => every === timer) as CatalogedReconciler;

/** For whom it runs, and how often each wants it. */
export const turnsOf = ({ turns, seconds }: CatalogedReconciler, config: Config): readonly Turn[] =>
  turns?.(config) ??
  Object.entries(config.clusters).map(([name, cluster]) => ({ name, everySeconds: seconds(cluster, config) }));

/** Each step of a workflow of a claim, by its name; the compiler compares it with the code, which is loaded when a step first runs. */
const claimSteps: Readonly<Record<ActivityName, true>> = {
  choose: true,
  beginCreate: true,
  pollCreate: true,
  findCreated: true,
  advance: true,
  close: true,
  discard: true,
  pollDiscard: true,
  fail: true,
  beginTerminate: true,
  launchStopped: true,
  drain: true,
  finish: true,
};
export const claimActivityNames = Object.keys(claimSteps) as ActivityName[];

/** The same of the workflows of requests for clusters. */
const requestSteps: Readonly<Record<RequestActivityName, true>> = {
  beginRequest: true,
  advanceStage: true,
  finishRequest: true,
  notifyRequest: true,
  beginRemoval: true,
  provisionStopped: true,
  removeRequest: true,
  releaseRequest: true,
};
export const requestActivityNames = Object.keys(requestSteps) as RequestActivityName[];

/** The same of the workflow of virtual machines. */
const machineSteps: Readonly<Record<MachineActivityName, true>> = {
  advanceMachine: true,
  advanceSnapshot: true,
};
export const machineActivityNames = Object.keys(machineSteps) as MachineActivityName[];

export const activityNames: readonly string[] = [
  ...claimActivityNames,
  ...requestActivityNames,
  ...machineActivityNames,
];

/** Does the steps that belong to no provider. */
export const stepsFunction = 'steps';

/** The functions that do the steps of workflows: one for each provider that is deployed, and one for what belongs to none. */
export const provisioners: readonly string[] = [
  stepsFunction,
  ...deployedProviders.map(({ type }) => provisionerName(type)),
];
