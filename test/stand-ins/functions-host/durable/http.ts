/**
 * The HTTP interface of the Durable extension, on loopback: once for functions on the same machine (`/durabletask/`, no
 * key) and once as the management interface (`/runtime/webhooks/durabletask/`, with the system key).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Ids, systemIds } from '../../../../shared/base/runtime.ts';
import type { TypedData } from '../typed-data.ts';
import { isEnded, isInstanceId, type SendOutcome, type TaskHub } from './hub.ts';
import { eventTypes, type HistoryEvent } from './protocol.ts';
import type { Instance } from './store.ts';

export interface DurableHttp {
  readonly url: string;
  /** What the host hands to functions through a `durableClient` binding. */
  clientData(): TypedData;
  /** Asked for every request: a status to answer instead of serving it; a negative one when it is served all the same. */
  refuse: ((method: string, path: string) => number | undefined) | undefined;
  readonly requests: string[];
  close(): Promise<void>;
}

export interface DurableHttpOptions {
  hub: TaskHub;
  ids?: Ids;
  port?: number;
  taskHubName?: string;
  /** False for an extension that offers functions the management interface alone. */
  rpc?: boolean;
}

const rpcPrefix = '/durabletask/';
const managementPrefix = '/runtime/webhooks/durabletask/';
const defaultPageSize = 100;
const bodyLimit = 4 * 1024 * 1024;

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export async function startDurableHttp(options: DurableHttpOptions): Promise<DurableHttp> {
  const { hub, ids = systemIds, taskHubName = 'PoolwrightHub', rpc = true } = options;
  const key = ids.next();
  const api = new DurableApi(hub, ids);
  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method ?? 'GET';
    http.requests.push(`${method} ${url.pathname}`);
    const answer = await route(request, method, url).catch(
      (error: unknown): Answer => ({ status: 500, body: { message: String(error) } }),
    );
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  }

  async function route(request: IncomingMessage, method: string, url: URL): Promise<Answer> {
    const body = await read(request);
    const refused = http.refuse?.(method, url.pathname);
    if (refused !== undefined && refused > 0) return { status: refused };
    const answer = dispatch(request, method, url, body);
    return refused === undefined ? answer : { status: -refused };
  }

  function dispatch(request: IncomingMessage, method: string, url: URL, body: string): Answer {
    const prefix = [rpcPrefix, managementPrefix].find((one) => url.pathname.startsWith(one));
    if (!prefix) return { status: 404 };
    if (prefix === managementPrefix && url.searchParams.get('code') !== key) return { status: 401 };
    const parts = url.pathname.slice(prefix.length).split('/').map(decodeURIComponent);
    // An event is refused without it, whatever its body is.
    const isJsonType = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
    if (parts[2] === 'raiseEvent' && !isJsonType) {
      return { status: 400, body: { message: 'Only application/json request content is supported' } };
    }
    return api.answer(method, parts, url.searchParams, body, request.headers['x-ms-continuation-token']);
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const management = (path: string) =>
    `${url}${managementPrefix}${path}${path.includes('?') ? '&' : '?'}taskHub=${taskHubName}&connection=Storage&code=${key}`;
  const http: DurableHttp = {
    url,
    requests: [],
    refuse: undefined,
    clientData: () => ({
      string: JSON.stringify({
        taskHubName,
        creationUrls: { createNewInstancePostUri: management('orchestrators/{functionName}[/{instanceId}]') },
        managementUrls: {
          id: 'INSTANCEID',
          statusQueryGetUri: management('instances/INSTANCEID'),
          sendEventPostUri: management('instances/INSTANCEID/raiseEvent/{eventName}'),
          terminatePostUri: management('instances/INSTANCEID/terminate?reason={text}'),
          purgeHistoryDeleteUri: management('instances/INSTANCEID'),
        },
        baseUrl: `${url}${managementPrefix.slice(0, -1)}`,
        requiredQueryStringParameters: `code=${key}`,
        ...(rpc ? { rpcBaseUrl: `${url}${rpcPrefix}` } : {}),
      }),
    }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return http;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

class DurableApi {
  readonly #hub: TaskHub;
  readonly #ids: Ids;

  constructor(hub: TaskHub, ids: Ids) {
    this.#hub = hub;
    this.#ids = ids;
  }

  answer(
    method: string,
    parts: readonly string[],
    query: URLSearchParams,
    body: string,
    page: string | string[] | undefined,
  ): Answer {
    const [collection, first, operation, name] = parts;
    if (collection === 'orchestrators' && method === 'POST' && first) return this.#start(first, operation, body);
    if (collection !== 'instances') return { status: 404 };
    if (!first && method === 'DELETE') return this.#purgeAll(query);
    if (!first) return method === 'GET' ? this.#list(query, String(page ?? '')) : { status: 404 };
    if (!operation) {
      if (method === 'GET') return this.#status(first, query);
      return method === 'DELETE' ? this.#purge(first) : { status: 404 };
    }
    if (method !== 'POST') return { status: 404 };
    if (operation === 'raiseEvent' && name) return this.#raise(first, name, body);
    if (operation === 'terminate') return sent(this.#hub.terminate(first, query.get('reason') ?? ''));
    return { status: 404 };
  }

  #start(name: string, wanted: string | undefined, body: string): Answer {
    const id = wanted || this.#ids.next();
    if (!isInstanceId(id)) return { status: 400, body: { message: `Instance ID '${id}' is not valid.` } };
    if (body !== '' && !isJson(body)) return { status: 400, body: { message: 'Invalid JSON content' } };
    if (this.#hub.start(name, id, body === '' ? null : body) === 'exists') {
      const message = `An Orchestration instance with the status Running already exists: ${id}`;
      return { status: 409, body: { message } };
    }
    return { status: 202, body: { id }, headers: { 'retry-after': '10' } };
  }

  #raise(id: string, name: string, body: string): Answer {
    if (!isJson(body || 'null')) return { status: 400, body: { message: 'Invalid JSON content' } };
    return sent(this.#hub.raise(id, name, body || 'null'));
  }

  #status(id: string, query: URLSearchParams): Answer {
    const instance = this.#hub.store.instance(id);
    if (!instance) return { status: 404 };
    const history = query.get('showHistory') === 'true' ? eventsOf(this.#hub.store.history(id)) : null;
    const body = { ...describe(instance, query.get('showInput') !== 'false'), historyEvents: history };
    return isEnded(instance.status) ? { status: 200, body } : { status: 202, body, headers: { 'retry-after': '5' } };
  }

  #purge(id: string): Answer {
    const instance = this.#hub.store.instance(id);
    if (!instance) return { status: 404 };
    if (!isEnded(instance.status)) {
      return { status: 412, body: `Only orchestrations in a terminal state can be purged, not ${instance.status}` };
    }
    this.#hub.store.transaction(() => this.#hub.store.remove(id));
    return { status: 200, body: { instancesDeleted: 1 } };
  }

  #purgeAll(query: URLSearchParams): Answer {
    if (!query.get('createdTimeFrom'))
      return { status: 400, body: "Please provide value for 'createdTimeFrom' parameter." };
    const { store } = this.#hub;
    const fits = filter(query);
    const found = store.list('', Number.MAX_SAFE_INTEGER).filter((one) => isEnded(one.status) && fits(one));
    store.transaction(() => {
      for (const { id } of found) store.remove(id);
    });
    return found.length === 0 ? { status: 404 } : { status: 200, body: { instancesDeleted: found.length } };
  }

  #list(query: URLSearchParams, after: string): Answer {
    const size = Number(query.get('top') ?? defaultPageSize);
    const found = this.#hub.store.list(after, size);
    const body = found.filter(filter(query)).map((instance) => describe(instance, query.get('showInput') === 'true'));
    const last = found.length === size ? found.at(-1)?.id : undefined;
    return { status: 200, body, headers: last === undefined ? {} : { 'x-ms-continuation-token': last } };
  }
}

function filter(query: URLSearchParams): (instance: Instance) => boolean {
  const prefix = query.get('instanceIdPrefix') ?? '';
  const statuses = query.get('runtimeStatus')?.split(',');
  const from = Date.parse(query.get('createdTimeFrom') ?? '');
  const to = Date.parse(query.get('createdTimeTo') ?? '');
  return ({ id, status, created }) =>
    id.startsWith(prefix) && (statuses?.includes(status) ?? true) && !(created < from) && !(created > to);
}

const sent = (outcome: SendOutcome): Answer => ({ status: { accepted: 202, unknown: 404, ended: 410 }[outcome] });

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Times are cut to the second, as the real interface has it. */
const seconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

function describe(instance: Instance, withInput: boolean): Record<string, unknown> {
  const { id, name, status, input, output, custom, created, updated } = instance;
  return {
    name,
    instanceId: id,
    runtimeStatus: status,
    input: withInput ? parsed(input) : null,
    customStatus: parsed(custom),
    output: parsed(output),
    createdTime: seconds(created),
    lastUpdatedTime: seconds(updated),
  };
}

/** The interface has names for the events, leaves out what was only scheduled, and tells its name with the end. */
const toldEvents: Readonly<Record<number, string>> = {
  [eventTypes.executionStarted]: 'ExecutionStarted',
  [eventTypes.taskCompleted]: 'TaskCompleted',
  [eventTypes.taskFailed]: 'TaskFailed',
  [eventTypes.subOrchestrationCompleted]: 'SubOrchestrationInstanceCompleted',
  [eventTypes.subOrchestrationFailed]: 'SubOrchestrationInstanceFailed',
  [eventTypes.timerFired]: 'TimerFired',
  [eventTypes.eventRaised]: 'EventRaised',
};

function eventsOf(history: readonly HistoryEvent[]): object[] {
  const scheduled = new Map(history.filter(({ EventId }) => EventId >= 0).map((event) => [event.EventId, event.Name]));
  return history.flatMap(({ EventType, Name, TaskScheduledId = -1, Result, Reason, Timestamp }) => {
    const type = toldEvents[EventType];
    if (type === undefined) return [];
    return [{ EventType: type, FunctionName: scheduled.get(TaskScheduledId) ?? Name, Result, Reason, Timestamp }];
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
