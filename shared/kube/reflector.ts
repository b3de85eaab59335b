/**
 * Follows one kind of object in a cluster, whatever happens: list, watch, go on after a break, list again after a gap.
 *
 * It remembers name, uid and resourceVersion of each object, never the object itself, so ten thousand objects cost a few
 * megabytes. With that it can say after a gap what was deleted meanwhile.
 */

import { doubled, spread } from '../base/backoff.ts';
import { defined } from '../base/defined.ts';
import type { Clock, Random } from '../base/runtime.ts';
import { pause as realPause } from '../base/timers.ts';
import type { Log } from '../observe/log/log.ts';
import {
  type ClusterApi,
  failureCodes,
  type KubeObject,
  type Resource,
  type WatchEnd,
  type WatchEvent,
} from './contract.ts';
import { listAll, listLimits } from './list-all.ts';
import { orderedTasks } from './ordered-tasks.ts';

/** A deletion that was noticed only afterwards, by its absence from a list, has no `object`. */
export type Change<T> =
  | { type: 'added' | 'modified'; object: T }
  | { type: 'deleted'; name: string; namespace?: string; uid: string; object?: T };

export interface Reflection<T extends KubeObject> {
  api: ClusterApi;
  resource: Resource;
  labelSelector?: string;
  fieldSelector?: string;
  /**
   * While its promises are pending (as many as `concurrency`) nothing more is read. If it throws, that is logged, the rest goes on, and the object is
   * handed over again after the next list, which then comes as soon as the watch ends.
   */
  onEvent: (change: Change<T>) => void | Promise<void>;
  /**
   * How many changes may be handed over at once; 1 unless said otherwise. Those of one object always come one after the
   * other. A handler that waits for a commit wants more than one, so that commits can be shared.
   */
  concurrency?: number;
  /** How many objects a list asks for at once. */
  pageSize?: number;
  /** Once: the first list is complete, or the watch goes on from `resumeFrom`. */
  onSynced?: () => void;
  /** Where an earlier life stopped. What was deleted before that, and missed, is not reported. */
  resumeFrom?: string;
  /** A place from which another life may resume: everything up to it has been handed over. */
  onBookmark?: (resourceVersion: string) => void;
  clock: Clock;
  random: Random;
  log: Log;
  /** The only way to end it. */
  signal: AbortSignal;
  /** Real timers unless a test brings its own. Returns early when the signal fires. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  firstPauseMs?: number;
  longestPauseMs?: number;
}

/** A watch that ends sooner, and brought nothing, counts as a failure: otherwise a broken server would be asked all day. */
const shortWatchMs = 1000;

/**
 * After so many failed watches from one place the place itself is doubted: a server whose etcd was restored has not reached
 * it yet, and says so in other words than "expired".
 */
const doubtfulWatches = 5;

/** Runs until the signal fires; never rejects. */
export async function reflect<T extends KubeObject>(options: Reflection<T>): Promise<void> {
  const { api, resource, clock, signal } = options;
  const log = options.log.child({ cluster: api.name });
  const pause = options.pause ?? realPause;
  const firstPause = options.firstPauseMs ?? 500;
  const longestPause = options.longestPauseMs ?? 30_000;
  const selection = defined({ labelSelector: options.labelSelector, fieldSelector: options.fieldSelector });
  const known = new Map<string, { name: string; namespace?: string; uid: string; version: string }>();
  const tasks = orderedTasks(options.concurrency ?? 1);
  let version = options.resumeFrom;
  let synced = false;
  /** A change could not be handed over, so the next list has to bring it again. */
  let missed = false;
  let failures = 0;
  let failedWatches = 0;

  const keyOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;

  const handOver = async (change: Change<T>): Promise<boolean> => {
    try {
      await options.onEvent(change);
      return true;
    } catch (error) {
      missed = true;
      // What was under way when everything stops is no fault; the next life brings it again.
      if (signal.aborted) return false;
      const about = change.type === 'deleted' ? change : change.object.metadata;
      log.write('cluster.handler.failed', { resource: resource.plural, change: change.type, name: about.name, error });
      return false;
    }
  };

  const present = async (object: T, type: 'added' | 'modified'): Promise<void> => {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    const before = known.get(key);
    if (before !== undefined && before.uid === uid && before.version === resourceVersion) return;
    // Somebody deleted it and made another of the same name while we did not look.
    if (before !== undefined && before.uid !== uid && !(await gone(key, undefined))) return;
    const what = before === undefined || before.uid !== uid ? type : 'modified';
    if (await handOver({ type: what, object })) {
      known.set(key, { name, ...defined({ namespace }), uid, version: resourceVersion });
    } else {
      known.delete(key);
    }
  };

  /** An object whose deletion could not be handed over stays known, so that the next list reports it again. */
  const gone = async (key: string, object: T | undefined): Promise<boolean> => {
    const last = object === undefined ? known.get(key) : undefined;
    const about = object?.metadata ?? last;
    if (about === undefined) return true;
    const { name, namespace, uid } = about;
    const handed = await handOver({
      type: 'deleted',
      name,
      ...defined({ namespace }),
      uid,
      ...defined({ object }),
    });
    if (handed) known.delete(key);
    else if (object !== undefined) {
      known.set(key, {
        name,
        ...defined({ namespace }),
        uid,
        version: object.metadata.resourceVersion,
      });
    }
    return handed;
  };

  const reached = async (resourceVersion: string): Promise<void> => {
    await tasks.idle();
    version = resourceVersion;
    // Nobody may resume behind a change that was not handed over.
    if (!missed) options.onBookmark?.(resourceVersion);
  };

  /**
   * No cluster has so many objects. What is real among them is handed over again with the next list that ends, and what was
   * deleted meanwhile is left to those who look at everything now and then.
   */
  const forget = (): void => {
    known.clear();
    version = undefined;
  };

  const list = async (): Promise<WatchEnd | undefined> => {
    missed = false;
    let seen = new Set<string>();
    const listed = await listAll<T>(
      api,
      resource,
      { ...selection, ...defined({ limit: options.pageSize }) },
      {
        onStart: () => {
          seen = new Set();
        },
        onItem: (object) => {
          const key = keyOf(object);
          seen.add(key);
          return tasks.add(key, () => present(object, 'added'));
        },
      },
      signal,
    );
    await tasks.idle();
    if (!listed.ok) {
      const { code, message, retryAfterSeconds } = listed.error;
      if (code === failureCodes.tooLong) forget();
      return { end: 'failed', message, ...defined({ retryAfterSeconds }) };
    }
    for (const key of [...known.keys()]) {
      if (!seen.has(key)) await tasks.add(key, async () => void (await gone(key, undefined)));
    }
    await reached(listed.value.resourceVersion);
    return undefined;
  };

  const onWatchEvent = async (event: WatchEvent<T>): Promise<void> => {
    failures = 0;
    failedWatches = 0;
    if (event.type === 'bookmark') return reached(event.resourceVersion);
    const { object, type } = event;
    const key = keyOf(object);
    if (known.size >= listLimits.objects && !known.has(key)) {
      forget();
      throw new Error(
        `the watch brought more than ${listLimits.objects.toLocaleString('en')} ${resource.plural}, and was given up`,
      );
    }
    version = object.metadata.resourceVersion;
    await tasks.add(key, async () => void (type === 'deleted' ? await gone(key, object) : await present(object, type)));
  };

  /** One list or one watch; answers how long to wait before the next. */
  const turn = async (): Promise<number> => {
    if (version === undefined) {
      const failure = await list();
      if (failure !== undefined) return failed('cluster.list.failed', failure);
    }
    if (!synced) {
      synced = true;
      log.write('cluster.watch.synced', { resource: resource.plural, objects: known.size });
      options.onSynced?.();
    }
    const from = version ?? '';
    const began = clock.monotonic();
    const end = await api.watch<T>(resource, { resourceVersion: from, ...selection }, onWatchEvent, signal);
    await tasks.idle();
    if (signal.aborted) return 0;
    if (end.end === 'failed') {
      failedWatches += 1;
      if (failedWatches % doubtfulWatches === 0) version = undefined;
      return failed('cluster.watch.failed', end);
    }
    failedWatches = 0;
    const idleTurn = version === from && clock.monotonic() - began < shortWatchMs;
    if (end.end === 'expired') {
      log.write('cluster.watch.expired', { resource: resource.plural, resourceVersion: from });
      version = undefined;
    } else if (missed) {
      version = undefined;
    }
    if (idleTurn) return nextPause();
    failures = 0;
    return 0;
  };

  const failed = (event: 'cluster.list.failed' | 'cluster.watch.failed', end: WatchEnd): number => {
    if (signal.aborted || end.end !== 'failed') return 0;
    const wait = Math.max(nextPause(), (end.retryAfterSeconds ?? 0) * 1000);
    log.write(event, { resource: resource.plural, message: end.message, pauseSeconds: Math.round(wait / 100) / 10 });
    if (missed) version = undefined;
    return wait;
  };

  const nextPause = (): number => {
    failures += 1;
    return spread(doubled(failures, firstPause, longestPause), options.random);
  };

  while (!signal.aborted) {
    let wait: number;
    try {
      wait = await turn();
    } catch (error) {
      await tasks.idle();
      log.write('cluster.watch.failed', { resource: resource.plural, error });
      wait = nextPause();
    }
    if (wait > 0 && !signal.aborted) await pause(wait, signal);
  }
}
