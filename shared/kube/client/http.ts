/** The cluster port over HTTP: any API server that speaks the Kubernetes REST API. */

import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import { type Clock, type Random, systemRandom } from '../../base/runtime.ts';
import { createHttpClient, type HttpQuery, type HttpRequest, type HttpResponse } from '../../net/http-client.ts';
import type { Log } from '../../observe/log/log.ts';
import { type ClusterAccess, impersonationHeaders } from '../access/access.ts';
import { anchorsOf } from '../access/anchors.ts';
import { credentialsFor } from '../access/credentials.ts';
import {
  type ClusterApi,
  type DeleteOptions,
  type KubeObject,
  type ListOptions,
  type ObjectRef,
  type Page,
  pods,
  type Resource,
} from '../contract.ts';
import { createBreaker } from './breaker.ts';
import { parseOf } from './large-values.ts';
import { hasName } from './names.ts';
import { collectionPath, objectPath } from './paths.ts';
import { createSending } from './sending.ts';
import { evictionFailureOf, failureOf, type KubeRequest } from './status.ts';
import { watchOnce } from './watch.ts';

export interface ClusterConnection extends ClusterAccess {
  name: string;
  clock: Clock;
  log: Log;
  requestTimeoutMs: number;
  /** How long a connection may take to stand. */
  connectTimeoutMs?: number | undefined;
  /** Who writes, as the server records it for each field. */
  fieldManager: string;
  maxSockets?: number | undefined;
  /** What a command for credentials finds in its environment; this process's own when absent. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** How long a watch may be silent before it is taken for dead; for tests. */
  watchSilenceMs?: number | undefined;
  random?: Random | undefined;
  /** Real timers unless a test brings its own. Returns early when the signal fires. */
  pause?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** A reason to answer every call at once with a failure, while there is one. */
  refuse?: ((asked: KubeRequest) => Failure | undefined) | undefined;
}

const mergePatchType = { 'content-type': 'application/merge-patch+json' };
const applyPatchType = { 'content-type': 'application/apply-patch+yaml' };
const jsonPatchType = { 'content-type': 'application/json-patch+json' };

/** A page of 500 Nodes has half of it; a list whose page is longer asks for smaller ones. */
const maxResponseBytes = 16 * 1024 * 1024;

/** A watch on a cluster that is closed off is not asked for again before so long. */
const refusedSeconds = 30;

export function connectCluster(connection: ClusterConnection): ClusterApi {
  const { clock, fieldManager, requestTimeoutMs: timeoutMs } = connection;
  const log = connection.log.child({ cluster: connection.name });
  const credentials = credentialsFor(connection, { clock, log, env: connection.env });
  const client = createHttpClient({
    baseUrl: connection.url,
    userAgent: fieldManager,
    token: credentials.token,
    tls: credentials.tls,
    headers: impersonationHeaders(connection.impersonate),
    ...defined({
      proxy: connection.proxyUrl,
      maxResponseBytes,
      connectTimeoutMs: connection.connectTimeoutMs,
      maxSockets: connection.maxSockets,
    }),
  });
  const sending = createSending({
    client,
    credentials,
    breaker: createBreaker(connection.name, clock),
    clock,
    random: connection.random ?? systemRandom,
    pause: connection.pause ?? realPause,
  });

  /** The server only says that it does not know us; why, stands in what we showed it. */
  const aboutUs = (answer: HttpResponse, failure: Failure): Failure => {
    const problem = answer.status === 401 ? credentials.problem() : undefined;
    return problem === undefined ? failure : { ...failure, message: `${failure.message}: ${problem}` };
  };

  /** One exchange; `read` turns the text of a success into the value, or undefined if it is not what was asked for. */
  const exchange = async <T>(
    request: Omit<HttpRequest, 'timeoutMs'>,
    asked: KubeRequest,
    read: (text: string) => T | undefined,
    refused: (answer: HttpResponse, asked: KubeRequest, clock: Clock) => Failure = failureOf,
  ): Promise<Result<T>> => {
    const closed = connection.refuse?.(asked);
    if (closed !== undefined) return { ok: false, error: closed };
    const sent = await sending.request({ ...request, timeoutMs }, asked.write);
    if (!sent.ok) return sent;
    const answer = sent.value;
    if (answer.status < 200 || answer.status > 299) {
      return { ok: false, error: aboutUs(answer, refused(answer, asked, clock)) };
    }
    const value = read(answer.text);
    return value === undefined ? { ok: false, error: notUnderstood(answer.status, asked) } : ok(value);
  };

  const patch = async <T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    body: Json,
    options: { subresource?: 'status' } | undefined,
    how: { headers: Record<string, string>; tests?: boolean; force?: boolean; query?: HttpQuery },
    signal: AbortSignal | undefined,
  ): Promise<Result<T>> => {
    const path = objectPath(resource, ref, options?.subresource);
    if (!path.ok) return path;
    return exchange(
      {
        method: 'PATCH',
        path: path.value,
        query: { fieldManager, force: how.force, ...how.query },
        headers: how.headers,
        body,
        signal,
      },
      { resource, name: ref.name, write: true, tests: how.tests === true },
      (text) => readObject<T>(jsonOf(text, resource), ref.name),
    );
  };

  return {
    name: connection.name,
    anchors: () => anchorsOf(credentials.tls().ca, connection.url),

    get: async <T extends KubeObject>(resource: Resource, ref: ObjectRef, signal?: AbortSignal) => {
      const path = objectPath(resource, ref);
      if (!path.ok) return path;
      return exchange({ method: 'GET', path: path.value, signal }, { resource, name: ref.name, write: false }, (text) =>
        readObject<T>(jsonOf(text, resource), ref.name),
      );
    },

    list: <T extends KubeObject>(resource: Resource, options: ListOptions = {}, signal?: AbortSignal) => {
      const { namespace, ...selection } = options;
      const query: HttpQuery = { ...selection };
      return exchange(
        { method: 'GET', path: collectionPath(resource, namespace), query, signal },
        { resource, write: false },
        (text) => readPage<T>(jsonOf(text, resource), text.length),
      );
    },

    watch: async (resource, options, onEvent, signal) => {
      const closed = connection.refuse?.({ resource, write: false });
      if (closed !== undefined) return { end: 'failed', message: closed.message, retryAfterSeconds: refusedSeconds };
      const how = { client: sending, clock, timeoutMs, silenceMs: connection.watchSilenceMs };
      return watchOnce(how, resource, options, onEvent, signal);
    },

    create: async <T extends KubeObject>(resource: Resource, object: Json, signal?: AbortSignal) => {
      const namespace = asObject(asObject(object)?.metadata)?.namespace;
      if (resource.namespaced && typeof namespace !== 'string') {
        return failed('invalid', `A ${resource.kind} needs a namespace`);
      }
      return exchange(
        {
          method: 'POST',
          path: collectionPath(resource, typeof namespace === 'string' ? namespace : undefined),
          query: { fieldManager },
          body: object,
          signal,
        },
        { resource, write: resource.stored !== false },
        (text) => {
          const answer = jsonOf(text, resource);
          return resource.stored === false ? readAnswer<T>(answer, resource) : readObject<T>(answer);
        },
      );
    },

    mergePatch: (resource, ref, body, options, signal) =>
      patch(resource, ref, body, options, { headers: mergePatchType }, signal),

    jsonPatch: (resource, ref, operations, options, signal) => {
      const tests = operations.some((operation) => operation.op === 'test');
      const body = operations.map((operation) => ({ ...operation }));
      return patch(resource, ref, body, options, { headers: jsonPatchType, tests }, signal);
    },

    apply: async (resource, object, options, signal) => {
      const metadata = asObject(asObject(object)?.metadata);
      const name = typeof metadata?.name === 'string' ? metadata.name : '';
      const namespace = typeof metadata?.namespace === 'string' ? { namespace: metadata.namespace } : {};
      // JSON is YAML, so the body needs no other writer.
      const query = {
        ...(options?.dryRun === true ? { dryRun: 'All' } : {}),
        ...(options?.strict === true ? { fieldValidation: 'Strict' } : {}),
      };
      const how = { headers: applyPatchType, force: options?.force === true, query };
      return patch(resource, { name, ...namespace }, object, options, how, signal);
    },

    delete: async (resource, ref, options, signal) => {
      const path = objectPath(resource, ref);
      if (!path.ok) return path;
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...deletePreconditions(options),
        ...defined({ gracePeriodSeconds: options.gracePeriodSeconds, propagationPolicy: options.propagationPolicy }),
      };
      return nothing(
        await exchange(
          { method: 'DELETE', path: path.value, body, signal },
          { resource, name: ref.name, write: true },
          objectText,
        ),
      );
    },

    evict: async (ref, uid, signal) => {
      const path = objectPath(pods, ref, 'eviction');
      if (!path.ok) return path;
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: ref.name, namespace: ref.namespace ?? '' },
        deleteOptions: { preconditions: { uid } },
      };
      return nothing(
        await exchange(
          { method: 'POST', path: path.value, body, signal },
          { resource: pods, name: ref.name, write: true },
          objectText,
          evictionFailureOf,
        ),
      );
    },

    close: () => {
      credentials.close();
      client.close();
    },
  };
}

function jsonOf(text: string, resource: Resource): Json | undefined {
  try {
    return parseOf(resource, text);
  } catch {
    return undefined;
  }
}

/** An answer of which only the success counts is not parsed: enough that no page of a proxy passes for it. */
function objectText(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed.startsWith('{') && trimmed.endsWith('}') ? trimmed : undefined;
}

function deletePreconditions(options: DeleteOptions) {
  const { uid, resourceVersion } = options;
  if (uid === undefined && resourceVersion === undefined) return {};
  return {
    preconditions: defined({ uid, resourceVersion }),
  };
}

/** A proxy's login page answers 200 as well, so a success has to look like what was asked for. */
function readObject<T extends KubeObject>(body: Json | undefined, name?: string): T | undefined {
  const metadata = asObject(asObject(body)?.metadata);
  if (typeof metadata?.uid !== 'string' || typeof metadata.resourceVersion !== 'string') return undefined;
  if (name !== undefined && metadata.name !== name) return undefined;
  return body as T & Json;
}

/** A question's answer has neither uid nor version; its kind has to do. */
function readAnswer<T extends KubeObject>(body: Json | undefined, { kind }: Resource): T | undefined {
  const object = asObject(body);
  return object?.kind === kind && asObject(object.status) !== undefined ? (body as T & Json) : undefined;
}

/** The same for a list, where it matters most: an empty object must not pass for an empty cluster. */
function readPage<T extends KubeObject>(body: Json | undefined, bytes: number): Page<T> | undefined {
  const list = asObject(body);
  const metadata = asObject(list?.metadata);
  const kind = list?.kind;
  if (typeof kind !== 'string' || !kind.endsWith('List') || typeof metadata?.resourceVersion !== 'string')
    return undefined;
  const items = list?.items;
  // Go writes an empty slice as null in places.
  if (items !== null && !Array.isArray(items)) return undefined;
  if (items?.every((item) => hasName(asObject(item)?.metadata)) === false) return undefined;
  return {
    items: (items ?? []) as (T & Json)[],
    resourceVersion: metadata.resourceVersion,
    bytes,
    ...(typeof metadata.continue === 'string' && metadata.continue !== '' ? { continue: metadata.continue } : {}),
  };
}

function notUnderstood(status: number, asked: KubeRequest): Failure {
  const what = asked.name === undefined ? asked.resource.plural : `the ${asked.resource.kind} ${asked.name}`;
  return {
    kind: asked.write ? 'outcome-unknown' : 'unavailable',
    message: `HTTP ${status} with a body that is not a Kubernetes response about ${what}; check for a proxy between the host and the API server`,
  };
}

function realPause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}

function nothing(result: Result<unknown>): Result<void> {
  return result.ok ? ok(undefined) : result;
}
