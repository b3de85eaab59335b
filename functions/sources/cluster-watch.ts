/**
 * The watching source: follows one cluster and puts an event on the queue for each change that matters. The local host runs it
 * in its own process, the bridge as a process of its own: it is the same code.
 */

import { createHash } from 'node:crypto';
import { eventBody } from '../../events/make.ts';
import { defined } from '../../shared/base/defined.ts';
import { RecentMap } from '../../shared/base/recent-map.ts';
import type { Clock, Ids, Random } from '../../shared/base/runtime.ts';
import { clusterRequests } from '../../shared/clusters/request/kind.ts';
import {
  type ClusterApi,
  type KubeObject,
  nodeClaims,
  nodePools,
  nodes,
  type Resource,
} from '../../shared/kube/contract.ts';
import { reflect } from '../../shared/kube/reflector.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import type { Log } from '../../shared/observe/log/log.ts';
import { NoRoomError, type Sender } from '../../shared/queue/contract.ts';
import {
  claimNews,
  clusterRequestNews,
  machineNews,
  type News,
  nodeClassNews,
  nodeNews,
  poolNews,
  type WatchObserver,
} from './change-events.ts';
import { lostEvents } from './lost-events.ts';

export interface ClusterWatchOptions {
  cluster: string;
  /** Who watches; the host itself where it is absent. */
  observer?: WatchObserver;
  api: ClusterApi;
  queue: Sender;
  /** Beside claims, nodes and pools. Only what the cluster serves: a kind that is missing there is asked for again and again. */
  nodeClasses?: readonly Resource[];
  /** Also requests for clusters; only where they are carried out. */
  requests?: boolean;
  /** Also virtual machines; only where they are carried out. */
  machines?: boolean;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
  signal: AbortSignal;
  /** Where an earlier life stopped, by `resourceKey`. */
  resumeFrom?: Readonly<Record<string, string>>;
  /** Everything up to this version has been accepted by the queue: another life may go on from there. */
  onBookmark?: (resource: string, resourceVersion: string) => void;
  /** The first list of this kind is on the queue, or its watch goes on from where an earlier life stopped. */
  onSynced?: (resource: string) => void;
  onSent?: (type: string) => void;
  /** The queue had no room for an event. */
  onLost?: () => void;
  /** A claim that an event is about to tell of. */
  onClaim?: (claim: KubeObject) => void;
  /** How many objects are asked for at once: big objects in big pages need much memory. */
  pageSize?: number;
}

/** How many digests of objects are remembered; a forgotten one costs an event too many. */
const maxRemembered = 50_000;
/** What is as short as a digest, as it is for every claim, is kept as it is. */
const longestKept = 32;
/** Events under way at once, for each kind. It bounds what is held while the queue is slow or away. */
const concurrency = 64;

/** A cluster may not serve what no claim needs: such a kind is asked for less and less often. */
const slowPauseMs = 300_000;

/** `nodeclaims.karpenter.sh`, `nodes`. */
export const resourceKey = ({ plural, group }: Resource): string => (group === '' ? plural : `${plural}.${group}`);

/** Everything that is followed. Each needs `list` and `watch` in the cluster. */
export const followedResources = (
  nodeClasses: readonly Resource[] = [],
  requests = false,
  machines = false,
): readonly Resource[] => [
  nodeClaims,
  nodes,
  nodePools,
  ...nodeClasses,
  ...(requests ? [clusterRequests] : []),
  ...(machines ? [machineKinds.virtualMachine, machineKinds.snapshot] : []),
];

/** Claims and nodes are what a source is for; the rest may be missing in a cluster. */
export const isOptional = (resource: Resource): boolean => resource !== nodeClaims && resource !== nodes;

/** Runs until the signal fires. */
export async function watchCluster(options: ClusterWatchOptions): Promise<void> {
  const { cluster, observer = 'watch', api, queue, clock, ids, random, log, signal, pageSize } = options;
  const seen = new RecentMap<string, string>({ max: maxRemembered });

  const noteLost = lostEvents(cluster, clock, log);

  /** Whether it counts as told. */
  const send = async (news: News): Promise<boolean> => {
    const { type, data } = news;
    const namespace = 'namespace' in data ? `${String(data.namespace)}/` : '';
    const subject = `${cluster}/${namespace}${'name' in data ? data.name : ''}`;
    let body: string;
    try {
      body = eventBody(type, data, { id: ids.next(), time: clock.now(), source: `/${observer}/${cluster}`, subject });
    } catch (error) {
      // No reader would take it, now or later. The resync reads the object itself.
      if (!(error instanceof RangeError)) throw error;
      log.write('event.ignored', { cluster, problem: error.message });
      return true;
    }
    try {
      await queue.send([body], { group: cluster });
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error;
      // Whoever waited here would read late, and in vain: the resync finds the object.
      options.onLost?.();
      noteLost(error.message);
      return false;
    }
    options.onSent?.(type);
    return true;
  };

  const follow = (resource: Resource): Promise<void> => {
    const read = readerOf(resource);
    const key = resourceKey(resource);
    const resumeFrom = options.resumeFrom?.[key];
    return reflect<KubeObject>({
      api,
      resource,
      onEvent: async (change) => {
        const uid = change.type === 'deleted' ? change.uid : change.object.metadata.uid;
        const news = read({ cluster, observedBy: observer }, change);
        if (news === undefined) return;
        const digest = shortened(news.digest);
        if (digest !== undefined && seen.get(uid) === digest) return;
        if (resource === nodeClaims && change.type !== 'deleted') options.onClaim?.(change.object);
        // It counts as told only once it is on the queue.
        if (!(await send(news))) return;
        if (change.type === 'deleted') seen.delete(uid);
        else if (digest !== undefined) seen.set(uid, digest);
      },
      concurrency,
      clock,
      random,
      log,
      signal,
      ...defined({ pageSize, resumeFrom }),
      ...(isOptional(resource) ? { longestPauseMs: slowPauseMs } : {}),
      onBookmark: (version) => options.onBookmark?.(key, version),
      onSynced: () => options.onSynced?.(key),
    });
  };

  await Promise.all(followedResources(options.nodeClasses, options.requests, options.machines).map(follow));
}

function readerOf(resource: Resource) {
  switch (resource) {
    case nodeClaims:
      return claimNews;
    case nodes:
      return nodeNews;
    case nodePools:
      return poolNews;
    case clusterRequests:
      return clusterRequestNews;
    case machineKinds.virtualMachine:
    case machineKinds.snapshot:
      return machineNews(resource);
    default:
      return nodeClassNews(resource);
  }
}

function shortened(what: unknown): string | undefined {
  if (what === undefined) return undefined;
  const text = JSON.stringify(what);
  return text.length <= longestKept ? text : createHash('sha1').update(text).digest('base64');
}
