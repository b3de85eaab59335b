/** HTTP for the simulated cloud: routes, bodies, and connections that misbehave when a fault wants it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Json } from '../../shared/base/json.ts';
import { isLoopbackHost } from '../../shared/net/loopback.ts';
import { HeldRequests } from '../kit/held-requests.ts';
import type { CloudApi, Reply } from './api.ts';
import type { Cloud } from './cloud.ts';
import { type FaultBook, faultRulesSchema } from './faults.ts';
import { toLedger } from './instance.ts';
import type { Overlap } from './overlaps.ts';
import type { CloudStore } from './store.ts';
import { type Answer, createSchema, describeIssues, json, problem, tagsSchema } from './wire.ts';

interface ServerParts {
  api: CloudApi;
  cloud: Cloud;
  store: CloudStore;
  faults: FaultBook;
  setFaults: (rules: unknown) => Promise<void>;
  overlaps: () => Overlap[];
  latencyMs: number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

const largestBody = 256 * 1024;

export class CloudServer {
  readonly #parts: ServerParts;
  readonly #server: Server;
  readonly #held = new HeldRequests();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    // Clients keep their connections for as long as they like: one that we close while it is reused looks like a fault.
    this.#server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
      // A web page whose name was made to point here still names itself (DNS rebinding).
      if (!isLoopbackHost(request.headers.host)) {
        return send(response, problem(403, 'Forbidden', 'this cloud serves loopback only'));
      }
      this.#respond(request, response).catch((error: unknown) => {
        parts.log('a request failed', { error });
        if (!response.headersSent) send(response, problem(500, 'InternalError', 'the simulated cloud is broken'));
      });
    });
  }

  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Resolves when so many requests, counted from the start, were left without an answer. */
  held(count: number): Promise<void> {
    return this.#held.reached(count);
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { latencyMs } = this.#parts;
    const reply = await this.#route(request);
    if (reply.do === 'reset') return void request.socket.resetAndDestroy();
    if (reply.do === 'hold') return this.#held.hold(response, reply.holdMs);
    const delayMs = reply.delayMs + latencyMs;
    if (delayMs === 0) return send(response, reply.answer);
    const timer = setTimeout(() => send(response, reply.answer), delayMs);
    response.once('close', () => clearTimeout(timer));
  }

  async #route(request: IncomingMessage): Promise<Reply> {
    const { api } = this.#parts;
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
    const [, root, id, action] = path.split('/');
    const method = request.method ?? 'GET';
    if (root === 'instances' && id === undefined) {
      if (method === 'GET') return api.list(tagsIn(query), numberIn(query, 'page', 0), numberIn(query, 'limit', 100));
      if (method === 'POST') {
        const body = await readJson(request);
        if ('refused' in body) return answer(body.refused);
        const parsed = createSchema.safeParse(body.value);
        if (!parsed.success) return answer(problem(400, 'InvalidRequest', describeIssues(parsed.error)));
        return api.create(parsed.data);
      }
    }
    if (root === 'instances' && id !== undefined && action === undefined) {
      if (method === 'GET') return api.get(id);
      if (method === 'DELETE') return api.delete(id, tagsIn(query));
    }
    if (root === 'instances' && id !== undefined && action === 'tags' && method === 'PUT') {
      const body = await readJson(request);
      if ('refused' in body) return answer(body.refused);
      const parsed = tagsSchema.safeParse(body.value);
      if (!parsed.success) return answer(problem(400, 'InvalidRequest', describeIssues(parsed.error)));
      return api.tag(id, parsed.data.tags);
    }
    if (path === '/instance-types' && method === 'GET') return api.types();
    if (path === '/quota' && method === 'GET') return api.quota();
    return answer(await this.#control(method, path, query, request));
  }

  /** What a real cloud does not offer: the ledger, the faults, and a hand that pulls the plug. No fault strikes here. */
  async #control(method: string, path: string, query: URLSearchParams, request: IncomingMessage): Promise<Answer> {
    const { cloud, store, faults, api } = this.#parts;
    cloud.settle();
    const [, root, id = '', action] = path.split('/');
    if (root === 'instances' && method === 'POST' && (action === 'vanish' || action === 'interrupt')) {
      const hit = action === 'vanish' ? cloud.vanish(id) : cloud.interrupt(id, numberIn(query, 'noticeSeconds', 30));
      return hit ? json(202, {}) : problem(404, 'InstanceNotFound', `there is no instance ${id}`);
    }
    switch (`${method} ${path}`) {
      case 'GET /healthz':
        return json(200, { status: 'ok' });
      case 'GET /stats':
        return json(200, { calls: api.calls, living: cloud.living });
      case 'GET /faults':
        return json(200, JSON.parse(JSON.stringify(faults.rules)) as Json);
      case 'POST /faults': {
        const body = await readJson(request);
        if ('refused' in body) return body.refused;
        const parsed = faultRulesSchema.safeParse(body.value);
        if (!parsed.success) return problem(400, 'InvalidRequest', describeIssues(parsed.error));
        await this.#parts.setFaults(body.value);
        return json(200, { rules: faults.rules.length });
      }
      case 'GET /ledger': {
        const limit = Math.min(Math.max(1, numberIn(query, 'limit', 500)), 5000);
        const items = store.page(numberIn(query, 'after', 0), limit).map((record) => ({ ...toLedger(record) }));
        const last = items.at(-1);
        return json(200, { items, ...(items.length < limit || last === undefined ? {} : { next: last.seq }) });
      }
      case 'GET /ledger/overlaps':
        return json(200, { items: this.#parts.overlaps().map((overlap) => ({ ...overlap })) });
      case 'GET /interruptions': {
        const items = store.noticesAfter(numberIn(query, 'after', 0), numberIn(query, 'limit', 500));
        return json(200, { items: items.map((notice) => ({ ...notice })) });
      }
      default:
        return problem(404, 'NoSuchRoute', `there is no ${method} ${path}`);
    }
  }
}

const answer = (given: Answer): Reply => ({ do: 'answer', answer: given, delayMs: 0 });

function send(response: ServerResponse, { status, body, retryAfterSeconds }: Answer): void {
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  if (retryAfterSeconds !== undefined) headers['retry-after'] = retryAfterSeconds;
  response.writeHead(status, headers).end(body);
}

/** `?tag.poolwright.dev/claim-uid=…` */
function tagsIn(query: URLSearchParams): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const [key, value] of query) if (key.startsWith('tag.')) tags[key.slice(4)] = value;
  return tags;
}

function numberIn(query: URLSearchParams, key: string, otherwise: number): number {
  const text = query.get(key);
  const value = text === null || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : otherwise;
}

async function readJson(request: IncomingMessage): Promise<{ value: unknown } | { refused: Answer }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > largestBody) {
      return { refused: problem(413, 'InvalidRequest', `a body may have at most ${largestBody} bytes`) };
    }
    chunks.push(bytes);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { refused: problem(400, 'InvalidRequest', 'the body is not JSON') };
  }
}
