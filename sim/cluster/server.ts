/**
 * The simulated cluster API: the subset of the Kubernetes REST API that Poolwright and kubectl use, over plain HTTP
 * on loopback, kept in one SQLite file.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { defined } from '../../shared/base/defined.ts';
import { type Clock, type Ids, type Random, systemClock, systemIds, systemRandom } from '../../shared/base/runtime.ts';
import { isForLoopback } from '../../shared/net/loopback.ts';
import { closeServer, openOnLoopback } from '../kit/server.ts';
import { ApiError, methodNotAllowed, pathNotFound } from './api-error.ts';
import { bootstrap } from './bootstrap.ts';
import { openApiProtobuf, openApiProtobufType } from './description/openapi-protobuf.ts';
import { handle } from './handlers.ts';
import { sendError, sendJson, sendText } from './http.ts';
import { isReview, review } from './reviews.ts';
import { targetOf } from './routes.ts';
import { ClusterStore } from './store/cluster-store.ts';
import { documentAt, healthText } from './store/documents.ts';
import type { HistoryLimits } from './store/watch-hub.ts';

export { kubeconfigFor } from './kubeconfig.ts';
export type { ClusterStore, KindRef, ObjectRef, Selection } from './store/cluster-store.ts';
export type { KubeObject, ObjectMeta } from './types.ts';
export { ApiError };

export interface ClusterApiOptions {
  /** The SQLite file, or `:memory:`. */
  file: string;
  host?: '127.0.0.1';
  /** 0 takes any free port. */
  port: number;
  clock?: Clock;
  ids?: Ids;
  random?: Random;
  log?: (line: string) => void;
  /** Each request as it comes, for figures that count. */
  onRequest?: ((request: SeenRequest) => void) | undefined;
  /** How often watchers that asked for bookmarks get one. */
  bookmarkMilliseconds?: number;
  /** How much of the past watches can begin from. */
  history?: HistoryLimits;
  /** A deleted pod stays until somebody deletes it without grace, as kubelets do; otherwise it goes at once. */
  podsWaitForKubelet?: boolean;
  /** False: without the kinds that Poolwright works with, as a cloud hands a cluster over. */
  withDefinitions?: boolean;
}

export interface SeenRequest {
  method: string;
  /** With its query. */
  path: string;
  userAgent: string;
}

export interface ClusterApi {
  url: string;
  port: number;
  /** The cluster's identity: it stays the same as long as the file does. */
  kubeSystemUid: string;
  store: ClusterStore;
  /** May be called again. */
  close(): Promise<void>;
}

const defaultBookmarkMilliseconds = 10_000;

export async function startClusterApi(options: ClusterApiOptions): Promise<ClusterApi> {
  const { file, host = '127.0.0.1', port, log = () => {}, history } = options;
  const store = new ClusterStore({
    file,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    random: options.random ?? systemRandom,
    ...defined({ history }),
    podsWaitForKubelet: options.podsWaitForKubelet ?? false,
  });
  await bootstrap(store, options.withDefinitions);
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    options.onRequest?.({ method, path, userAgent: headers['user-agent'] ?? '' });
    void serve(store, request, response, log);
  });
  // Watches are quiet for long; the agents of clients keep connections for reuse.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  const actualPort = await openOnLoopback(server, port).catch((error: unknown) => {
    // The file is held exclusively: without this, a second try on another port would meet our own lock.
    store.objects.close();
    throw error;
  });
  const bookmarks = setInterval(
    () => store.objects.hub.bookmarkAll(),
    options.bookmarkMilliseconds ?? defaultBookmarkMilliseconds,
  );
  bookmarks.unref();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearInterval(bookmarks);
    store.objects.hub.endAll();
    await closeServer(server);
    store.objects.close();
  };
  const kubeSystem = await store.get({ apiVersion: 'v1', plural: 'namespaces', name: 'kube-system' });
  return {
    url: `http://${host}:${actualPort}`,
    port: actualPort,
    kubeSystemUid: kubeSystem.metadata.uid,
    store,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function serve(
  store: ClusterStore,
  request: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
): Promise<void> {
  try {
    await answer(store, request, response);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      log(
        `${request.method} ${request.url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    // An error before the body was read leaves it on the connection: read it off, or the next request would suffer.
    request.resume();
    sendError(response, error);
  }
}

async function answer(store: ClusterStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host } = request.headers;
  if (!isForLoopback(request)) {
    throw new ApiError(403, 'Forbidden', 'this server only accepts requests to localhost and 127.0.0.1');
  }
  const [path = '', search = ''] = splitOnce(request.url ?? '/', '?');
  const segments = decodePath(path);
  if (isReview(segments)) return review(request, response);
  const target = targetOf(store.registry, segments);
  if (target) {
    return handle({ store, request, response, query: new URLSearchParams(search), target });
  }
  const health = healthText(segments);
  if (health !== undefined) return sendText(response, 200, 'text/plain; charset=utf-8', health);
  if (segments.join('/') === 'openapi/v2' && request.headers.accept?.includes('proto-openapi')) {
    return sendText(response, 200, openApiProtobufType, openApiProtobuf(store.registry));
  }
  const document = documentAt(store.registry, segments, host ?? '');
  if (!document) throw pathNotFound();
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  sendJson(response, 200, JSON.stringify(document));
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decodePath(path: string): string[] {
  try {
    const segments = path.split('/').slice(1).map(decodeURIComponent);
    return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  } catch {
    throw pathNotFound();
  }
}
