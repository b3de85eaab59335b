/** HTTP for the simulated cloud: routes, bodies, and connections that misbehave when a fault wants it. */
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { describeIssues } from '../kit/describe-issues.ts';
import { type FaultBook, faultRulesSchema } from '../kit/faults.ts';
import { answered, parseJson, type StandInRequest, StandInServer } from '../kit/server.ts';
import type { CloudApi, Reply } from './api.ts';
import type { Cloud } from './cloud.ts';
import { toLedger } from './instance.ts';
import type { Overlap } from './overlaps.ts';
import type { CloudStore } from './store.ts';
import { type Answer, createSchema, json, problem, tagsSchema } from './wire.ts';

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
  readonly #server: StandInServer<Answer>;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#server = new StandInServer<Answer>({
      latencyMs: parts.latencyMs,
      log: parts.log,
      largestBody,
      refusals: {
        foreignHost: problem(403, 'Forbidden', 'the simulated cloud only accepts requests to localhost'),
        tooLarge: problem(413, 'InvalidRequest', `a body may have at most ${largestBody} bytes`),
        broken: problem(500, 'InternalError', 'internal error of the simulated cloud'),
      },
      toHttp: ({ status, body, retryAfterSeconds }) => ({
        status,
        headers: { 'content-type': 'application/json', ...defined({ 'retry-after': retryAfterSeconds }) },
        body,
      }),
      reply: (request) => this.#route(request),
    });
  }

  listen(port: number): Promise<number> {
    return this.#server.listen(port);
  }

  /** Resolves when so many requests, counted from the start, were left without an answer. */
  held(count: number): Promise<void> {
    return this.#server.held(count);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #route(request: StandInRequest): Promise<Reply> {
    const { api } = this.#parts;
    const { method, path, query } = request;
    const [, root, id, action] = path.split('/');
    if (root === 'instances' && id === undefined) {
      if (method === 'GET') return api.list(tagsIn(query), numberIn(query, 'page', 0), numberIn(query, 'limit', 100));
      if (method === 'POST') {
        const body = readJson(request);
        if ('refused' in body) return answered(body.refused);
        const parsed = createSchema.safeParse(body.value);
        if (!parsed.success) return answered(problem(400, 'InvalidRequest', describeIssues(parsed.error)));
        return api.create(parsed.data);
      }
    }
    if (root === 'instances' && id !== undefined && action === undefined) {
      if (method === 'GET') return api.get(id);
      if (method === 'DELETE') return api.delete(id, tagsIn(query));
    }
    if (root === 'instances' && id !== undefined && action === 'tags' && method === 'PUT') {
      const body = readJson(request);
      if ('refused' in body) return answered(body.refused);
      const parsed = tagsSchema.safeParse(body.value);
      if (!parsed.success) return answered(problem(400, 'InvalidRequest', describeIssues(parsed.error)));
      return api.tag(id, parsed.data.tags);
    }
    if (path === '/instance-types' && method === 'GET') return api.types();
    if (path === '/quota' && method === 'GET') return api.quota();
    return answered(await this.#control(request));
  }

  /** What a real cloud does not offer: the ledger, the faults, and a hand that pulls the plug. No fault strikes here. */
  async #control(request: StandInRequest): Promise<Answer> {
    const { method, path, query } = request;
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
        const body = readJson(request);
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

function readJson({ body }: StandInRequest): { value: unknown } | { refused: Answer } {
  const value = parseJson(body);
  return value === undefined ? { refused: problem(400, 'InvalidRequest', 'the body is not JSON') } : { value };
}
