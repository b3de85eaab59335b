/**
 * A cluster whose address somebody else has to tell: it is asked for with the first call. Until it is known every call
 * fails with the reason, so that a cloud that does not answer holds up this cluster and no other.
 */
import type { Failure, Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { ClusterAccess } from '../access/access.ts';
import type { ClusterApi } from '../contract.ts';

export interface DeferredCluster {
  name: string;
  clock: Clock;
  find(signal: AbortSignal): Promise<Result<ClusterAccess>>;
  connect(access: ClusterAccess): ClusterApi;
  /** Called once with the cluster. */
  close(): void;
}

/** Whoever has just failed to tell is left alone for a while. */
const pauseSeconds = 10;

export function deferCluster({ name, clock, find, connect, close }: DeferredCluster): ClusterApi {
  const stop = new AbortController();
  let api: ClusterApi | undefined;
  let finding: Promise<void> | undefined;
  let failure: { at: number; error: Failure } | undefined;

  const look = async (): Promise<void> => {
    const found = await find(stop.signal);
    if (!found.ok) failure = { at: clock.monotonic(), error: found.error };
    else if (!stop.signal.aborted) api = connect(found.value);
  };

  const opened = async (): Promise<Result<ClusterApi>> => {
    const rests = failure !== undefined && clock.monotonic() - failure.at < pauseSeconds * 1000;
    if (api === undefined && !rests && !stop.signal.aborted) {
      finding ??= look().finally(() => {
        finding = undefined;
      });
      await finding;
    }
    if (api !== undefined) return { ok: true, value: api };
    const error = failure?.error ?? { kind: 'unavailable', message: 'the client is closed' };
    // Nothing was sent, so nothing is left open; and a missing address must not look like a missing object.
    const kind = error.kind === 'unauthorised' ? 'unauthorised' : 'unavailable';
    return { ok: false, error: { ...error, kind, message: `cluster ${name} is unreachable: ${error.message}` } };
  };

  const on = async <T>(call: (api: ClusterApi) => Promise<Result<T>>): Promise<Result<T>> => {
    const cluster = await opened();
    return cluster.ok ? call(cluster.value) : cluster;
  };

  return {
    name,
    anchors: () => api?.anchors?.(),
    get: (...args) => on((cluster) => cluster.get(...args)),
    list: (...args) => on((cluster) => cluster.list(...args)),
    create: (...args) => on((cluster) => cluster.create(...args)),
    mergePatch: (...args) => on((cluster) => cluster.mergePatch(...args)),
    jsonPatch: (...args) => on((cluster) => cluster.jsonPatch(...args)),
    apply: (...args) => on((cluster) => cluster.apply(...args)),
    delete: (...args) => on((cluster) => cluster.delete(...args)),
    evict: async (...args) => {
      const cluster = await opened();
      return cluster.ok ? cluster.value.evict(...args) : cluster;
    },
    watch: async (...args) => {
      const cluster = await opened();
      if (cluster.ok) return cluster.value.watch(...args);
      return { end: 'failed', message: cluster.error.message, retryAfterSeconds: pauseSeconds };
    },
    close: () => {
      stop.abort();
      api?.close();
      close();
    },
  };
}
