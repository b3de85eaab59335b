/** Binds the bridge to a process: where its events go, where its bookmark lies, who may ask how it is. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maxEventBytes } from '../../../events/envelope.ts';
import { defined } from '../../../shared/base/defined.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { ClusterApi, Resource } from '../../../shared/kube/contract.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Sender } from '../../../shared/queue/contract.ts';
import { type BookmarkStore, configMapBookmarks } from '../../sources/bookmarks.ts';
import { type BridgeStatus, startBridge } from '../../sources/bridge.ts';
import { fileBookmarks } from './bookmark-file.ts';
import { serveProbes } from './probes.ts';
import { keepTidy } from './tidy.ts';

/** Where events go: the intake of a host, or the queue of a host on this machine. */
export type Destination =
  | { kind: 'http'; url: string; tokenFile?: string; ca?: string; cert?: string; key?: string }
  | { kind: 'sqlite'; directory: string };

export interface BridgeHostOptions {
  cluster: string;
  api: ClusterApi;
  to: Destination;
  /** Without one, every start tells of everything there is. */
  state?: { directory: string } | { configMap: { namespace: string; name: string } };
  nodeClasses?: readonly Resource[];
  /** Also requests for clusters. */
  requests?: boolean;
  probes?: { host: string; port: number };
  log: Log;
  version: string;
}

export interface BridgeHost {
  readonly status: BridgeStatus;
  readonly probesUrl: string | undefined;
  stop(): Promise<void>;
}

export async function startBridgeHost(options: BridgeHostOptions): Promise<Result<BridgeHost>> {
  const { cluster, api, log, version, nodeClasses, requests } = options;
  const abort = new AbortController();
  const destination = await openDestination(options, log, version);
  const bookmarks = bookmarksFor(options);
  const endTidying = keepTidy();
  const bridge = startBridge({
    cluster,
    api,
    to: destination,
    bookmarks,
    ...defined({ nodeClasses, requests }),
    clock: systemClock,
    ids: systemIds,
    random: systemRandom,
    log,
    signal: abort.signal,
  });
  const close = async (): Promise<void> => {
    abort.abort();
    await bridge.ended;
    endTidying();
    destination.close();
    api.close();
  };
  const probes = options.probes ? await serveProbes(bridge.status, options.probes) : undefined;
  if (probes && !probes.ok) {
    await close();
    return probes;
  }
  const probesUrl = probes?.value.url;
  log.write('bridge.started', { cluster, queue: destination.name, probes: probesUrl });
  return ok({
    status: bridge.status,
    probesUrl,
    stop: async () => {
      await probes?.value.close();
      await close();
      log.write('bridge.stopped', { cluster });
    },
  });
}

/** As the host's defaults have it, whose configuration the bridge does not read. */
const share = { messages: 50_000, bytes: 32 * 1024 * 1024 };

/** A driver is loaded when it is the one: SQLite alone would be a tenth of the memory. */
async function openDestination(
  { to, cluster }: BridgeHostOptions,
  log: Log,
  version: string,
): Promise<Sender & { close(): void }> {
  if (to.kind === 'sqlite') {
    const { openQueueDatabase } = await import('../../../shared/queue/sqlite/schema.ts');
    const { openSqliteQueue } = await import('../../../shared/queue/sqlite/queue.ts');
    const queues = openQueueDatabase({ file: join(to.directory, 'queue.db') });
    // Only sending: the limits of receiving are the consumer's own. With a full share the bridge waits, and reads nothing more.
    const options = { visibilitySeconds: 60, maxReceives: 10, maxBodyBytes: maxEventBytes, share };
    const queue = openSqliteQueue({ ...queues, name: 'events', clock: systemClock, ids: systemIds, options });
    return {
      name: 'sqlite',
      send: (bodies) => queue.send(bodies, { group: cluster }),
      close: () => queues.database.close(),
    };
  }
  const { openHttpSender } = await import('../../../shared/queue/http/sender.ts');
  const { url, tokenFile, ca, cert, key } = to;
  return openHttpSender({
    url,
    token: tokenFile === undefined ? () => undefined : tokenReader(tokenFile, log),
    ca,
    cert,
    key,
    userAgent: `poolwright-bridge/${version}`,
    clock: systemClock,
    onRejected: ({ body, reason }) => log.write('bridge.event.rejected', { reason, ...eventIn(body) }),
  });
}

/** Read before every batch, so that a rotated token is used at once; while it can't be read, the last one serves. */
function tokenReader(file: string, log: Log): () => string | undefined {
  let last: string | undefined;
  return () => {
    try {
      last = readFileSync(file, 'utf8').trim() || last;
    } catch (error) {
      log.write('cluster.token-file.unreadable', { tokenFile: file, error });
    }
    return last;
  };
}

function eventIn(body: string): { type?: string; subject?: string } {
  const { type, subject } = JSON.parse(body) as { type?: string; subject?: string };
  return defined({ type, subject });
}

function bookmarksFor({ api, cluster, state }: BridgeHostOptions): BookmarkStore | undefined {
  if (state === undefined) return undefined;
  return 'directory' in state ? fileBookmarks(state.directory, cluster) : configMapBookmarks(api, state.configMap);
}
