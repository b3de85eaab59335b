/**
 * The bridge: the watching source as a process of its own, near the cluster or in it, for hosts that can't watch by themselves.
 * It survives whatever happens on either side: a cluster that is away is asked again, a queue that is away stops the reading
 * until it is back, and a bridge that dies goes on from its bookmark.
 */

import { defined } from '../../shared/base/defined.ts';
import type { Clock, Ids, Random } from '../../shared/base/runtime.ts';
import { pause, type Timers } from '../../shared/base/timers.ts';
import { type ClusterApi, type KubeObject, namespaces, type Resource } from '../../shared/kube/contract.ts';
import type { Log } from '../../shared/observe/log/log.ts';
import type { Sender } from '../../shared/queue/contract.ts';
import { type PatientSender, patientSender } from '../../shared/queue/patient-sender.ts';
import type { BookmarkStore } from './bookmarks.ts';
import { followedResources, isOptional, resourceKey, watchCluster } from './cluster-watch.ts';

export interface BridgeOptions {
  /** As the receiving host names it. */
  cluster: string;
  api: ClusterApi;
  to: Sender;
  /** Without one, every start tells of everything there is; that costs events and is no loss. */
  bookmarks?: BookmarkStore | undefined;
  nodeClasses?: readonly Resource[];
  requests?: boolean;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
  signal: AbortSignal;
  timers?: Timers;
}

/** What it is doing, for probes and metrics. */
export interface BridgeStatus {
  /** Events by type. */
  readonly sent: ReadonlyMap<string, number>;
  readonly failedSends: number;
  readonly pending: number;
  /** Why the queue takes nothing now. */
  readonly trouble: string | undefined;
  readonly synced: ReadonlySet<string>;
  /** What must be synced before it counts as ready. */
  readonly required: readonly string[];
}

export interface Bridge {
  readonly status: BridgeStatus;
  /** Resolves some time after the signal has fired. */
  readonly ended: Promise<void>;
}

/** Real Nodes are some 20 KB each, so a page of the usual 500 would be more than all that the bridge may use. */
const pageSize = 20;
const bookmarkEveryMs = 10_000;
const identityPauseMs = 5_000;
const lastWriteMs = 3_000;

export function startBridge(options: BridgeOptions): Bridge {
  const { clock, ids, random, log: plainLog, signal, timers } = options;
  const log = plainLog.child({ cluster: options.cluster });
  const sent = new Map<string, number>();
  const synced = new Set<string>();
  let failedSends = 0;
  const queue: PatientSender = patientSender({
    to: options.to,
    random,
    signal,
    onFailure: (failure) => {
      failedSends += 1;
      log.write('bridge.send.failed', failure);
    },
    ...defined({ timers }),
  });

  const run = async (): Promise<void> => {
    const resumed = await resume(options, log);
    const keeper = keepBookmark(options, log, resumed);
    await watchCluster({
      cluster: options.cluster,
      observer: 'bridge',
      api: options.api,
      queue,
      clock,
      ids,
      random,
      log: plainLog,
      signal,
      pageSize,
      ...defined({ nodeClasses: options.nodeClasses, requests: options.requests }),
      ...(resumed === undefined ? {} : { resumeFrom: resumed.versions }),
      onBookmark: keeper.note,
      onSynced: (resource) => synced.add(resource),
      onSent: (type) => sent.set(type, (sent.get(type) ?? 0) + 1),
    });
    await keeper.stop();
  };

  const required = followedResources()
    .filter((resource) => !isOptional(resource))
    .map(resourceKey);
  return {
    status: {
      sent,
      synced,
      required,
      get failedSends() {
        return failedSends;
      },
      get pending() {
        return queue.pending;
      },
      get trouble() {
        return queue.trouble;
      },
    },
    ended: run(),
  };
}

interface Resumed {
  identity: string;
  versions: Record<string, string>;
}

/** Undefined when nothing can be kept: then there is nothing to go on from, now or next time. */
async function resume({ api, bookmarks, signal, timers }: BridgeOptions, log: Log): Promise<Resumed | undefined> {
  if (!bookmarks) return undefined;
  let identity: string | undefined;
  while (identity === undefined && !signal.aborted) {
    const answer = await api.get<KubeObject>(namespaces, { name: 'kube-system' }, signal);
    if (answer.ok) identity = answer.value.metadata.uid;
    else {
      log.write('bridge.bookmark.failed', { message: answer.error.message });
      // Without the right to look, it is never known whose bookmark it is.
      if (answer.error.kind === 'unauthorised') return undefined;
      await pause(identityPauseMs, signal, timers);
    }
  }
  if (identity === undefined) return undefined;
  try {
    const found = await bookmarks.read();
    if (found?.identity === identity) {
      log.write('bridge.resumed', { versions: found.versions });
      return { identity, versions: found.versions };
    }
  } catch (error) {
    log.write('bridge.bookmark.failed', { error });
  }
  return { identity, versions: {} };
}

/** Writes now and then, and once more at the end; a bookmark that can't be written is no reason to stop. */
function keepBookmark({ bookmarks, timers, signal }: BridgeOptions, log: Log, resumed: Resumed | undefined) {
  if (!bookmarks || !resumed) return { note: () => undefined, stop: async () => undefined };
  const { identity } = resumed;
  const versions = { ...resumed.versions };
  let dirty = false;
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    dirty = false;
    try {
      await bookmarks.write({ identity, versions: { ...versions } });
    } catch (error) {
      dirty = true;
      log.write('bridge.bookmark.failed', { error });
    }
  };
  const writeWhileDirty = async (): Promise<void> => {
    while (dirty && !signal.aborted) {
      await write();
      await pause(bookmarkEveryMs, signal, timers);
    }
    writing = undefined;
  };
  return {
    note: (resource: string, version: string): void => {
      if (versions[resource] === version) return;
      versions[resource] = version;
      dirty = true;
      if (!signal.aborted) writing ??= writeWhileDirty();
    },
    stop: async (): Promise<void> => {
      await writing;
      // Who asks us to stop does not wait for a cluster that is away.
      if (dirty) await Promise.race([write(), pause(lastWriteMs, new AbortController().signal, timers)]);
    },
  };
}
