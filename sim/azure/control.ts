/**
 * What no cloud offers: the ledger, the faults, and a hand in other people's affairs. No fault strikes here, and nothing
 * lags. Paths and answers are those of the simulated cloud where it has them.
 */
import { z } from 'zod';
import type { Json } from '../../shared/json.ts';
import { type FaultBook, faultRulesSchema } from '../cloud/faults.ts';
import type { Overlap } from '../cloud/overlaps.ts';
import { describeIssues } from '../cloud/wire.ts';
import { type Answer, json, wrapped } from './answer.ts';
import type { PoolLedgerEntry } from './pool.ts';
import type { CallKind } from './routes.ts';

export interface ControlParts {
  faults: FaultBook;
  setFaults: (rules: unknown) => void;
  ledger: () => PoolLedgerEntry[];
  overlaps: () => Overlap[];
  calls: () => Partial<Record<CallKind, number>>;
  living: () => number;
  busyMs: () => number;
  beginOperation: (cluster: string, what: string, seconds: number | null) => string | undefined;
  endOperation: (id: string) => boolean;
  /** Undefined when there is no such cluster, or the name is taken. */
  makeForeignPool: (cluster: string, name: string) => string | undefined;
  vanish: (cluster: string, name: string) => boolean;
}

const operationSchema = z.strictObject({
  cluster: z.string(),
  what: z.string().default('Upgrading'),
  seconds: z.number().min(0).nullable().default(null),
});
const poolSchema = z.strictObject({ cluster: z.string(), name: z.string() });

const wrong = (message: string): Answer => wrapped(400, { code: 'InvalidRequest', message });
const none = (message: string): Answer => wrapped(404, { code: 'NotFound', message });

/** Undefined when the path is none of these. */
export function control(
  parts: ControlParts,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): Answer | undefined {
  switch (`${method} ${path}`) {
    case 'GET /healthz':
      return json(200, { status: 'ok' });
    case 'GET /stats':
      return json(200, { calls: { ...parts.calls() }, living: parts.living(), busyMs: parts.busyMs() });
    case 'GET /faults':
      return json(200, JSON.parse(JSON.stringify(parts.faults.rules)) as Json);
    case 'POST /faults': {
      const parsed = faultRulesSchema.safeParse(body);
      if (!parsed.success) return wrong(describeIssues(parsed.error));
      parts.setFaults(body);
      return json(200, { rules: parts.faults.rules.length });
    }
    case 'GET /ledger': {
      const limit = Math.min(Math.max(1, Number(query.get('limit') ?? 500)), 5000);
      const after = Number(query.get('after') ?? 0);
      const items = parts
        .ledger()
        .slice(after, after + limit)
        .map((entry) => ({ ...entry }));
      const last = items.at(-1);
      return json(200, { items, ...(items.length < limit || last === undefined ? {} : { next: last.seq }) });
    }
    case 'GET /ledger/overlaps':
      return json(200, { items: parts.overlaps().map((overlap) => ({ ...overlap })) });
    case 'POST /control/operations': {
      const parsed = operationSchema.safeParse(body);
      if (!parsed.success) return wrong(describeIssues(parsed.error));
      const { cluster, what, seconds } = parsed.data;
      const id = parts.beginOperation(cluster, what, seconds);
      return id === undefined ? none(`there is no cluster ${cluster}`) : json(201, { id });
    }
    case 'POST /control/foreign-pools': {
      const parsed = poolSchema.safeParse(body);
      if (!parsed.success) return wrong(describeIssues(parsed.error));
      const id = parts.makeForeignPool(parsed.data.cluster, parsed.data.name);
      const { cluster, name } = parsed.data;
      return id === undefined ? none(`there is no cluster ${cluster}, or a pool ${name} already`) : json(201, { id });
    }
    case 'POST /control/vanish': {
      const parsed = poolSchema.safeParse(body);
      if (!parsed.success) return wrong(describeIssues(parsed.error));
      const { cluster, name } = parsed.data;
      return parts.vanish(cluster, name) ? json(202, {}) : none(`there is no pool ${name} in ${cluster}`);
    }
    default: {
      const [, id] = /^DELETE \/control\/operations\/([^/]+)$/.exec(`${method} ${path}`) ?? [];
      if (id === undefined) return undefined;
      return parts.endOperation(id) ? json(200, {}) : none(`there is no operation ${id} in progress`);
    }
  }
}
