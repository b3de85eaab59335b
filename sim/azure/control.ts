/**
 * What no cloud offers: the ledger, the faults, and a hand in other people's affairs. No fault strikes here, and nothing
 * lags. Paths and answers are those of the simulated cloud where it has them.
 */
import { z } from 'zod';
import { describeIssues } from '../kit/describe-issues.ts';
import { type LedgerControlParts, ledgerControl } from '../kit/ledger-control.ts';
import { type Answer, json, wrapped } from './answer.ts';

export interface ControlParts extends LedgerControlParts {
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
  const common = ledgerControl(parts, method, path, query, body);
  if (common !== undefined) return 'wrong' in common ? wrong(common.wrong) : json(200, common.body);
  switch (`${method} ${path}`) {
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
      return id === undefined
        ? none(`there is no cluster ${cluster}, or it already has a pool ${name}`)
        : json(201, { id });
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
