/** What no cloud offers: a hand on the machines, the buckets and the messages. No fault strikes here, and nothing lags. */
import { z } from 'zod';
import type { Json } from '../../shared/base/json.ts';
import { describeIssues } from '../kit/describe-issues.ts';
import { type LedgerControlParts, ledgerControl } from '../kit/ledger-control.ts';
import type { EventMessage } from './event-messages.ts';
import { type Answer, plain } from './wire/answer.ts';

export interface ControlParts extends LedgerControlParts {
  messages: () => readonly EventMessage[];
  /** False when there is no such instance, or it is on its way out. */
  reclaim: (instance: string, noticeSeconds: number | undefined) => boolean;
  vanish: (instance: string) => boolean;
  launchForeign: (name: string) => string;
  setBuckets: (buckets: Record<string, { burst: number; refillPerSecond: number }>) => void;
  forgetTokens: () => void;
}

const reclaimSchema = z.strictObject({ instance: z.string(), noticeSeconds: z.number().min(0).optional() });
const instanceSchema = z.strictObject({ instance: z.string() });
const nameSchema = z.strictObject({ name: z.string() });
const bucketsSchema = z.record(
  z.string(),
  z.strictObject({ burst: z.number().min(1), refillPerSecond: z.number().min(0) }),
);

const wrong = (message: string): Answer => plain(400, { message });

/** Undefined when the path is none of these. */
export function control(
  parts: ControlParts,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): Answer | undefined {
  const common = ledgerControl(parts, method, path, query, body);
  if (common !== undefined) return 'wrong' in common ? wrong(common.wrong) : plain(200, common.body);
  const of = <T>(schema: z.ZodType<T>, handle: (given: T) => Answer): Answer => {
    const parsed = schema.safeParse(body);
    return parsed.success ? handle(parsed.data) : wrong(describeIssues(parsed.error));
  };
  const done = (is: boolean, instance: string): Answer =>
    is ? plain(202, {}) : plain(404, { message: `there is no existing instance ${instance}` });
  switch (`${method} ${path}`) {
    case 'GET /messages': {
      const after = Number(query.get('after') ?? 0);
      const items = parts.messages().slice(after);
      return plain(200, { items: JSON.parse(JSON.stringify(items)) as Json, next: after + items.length });
    }
    case 'POST /control/reclaim':
      return of(reclaimSchema, ({ instance, noticeSeconds }) => done(parts.reclaim(instance, noticeSeconds), instance));
    case 'POST /control/vanish':
      return of(instanceSchema, ({ instance }) => done(parts.vanish(instance), instance));
    case 'POST /control/foreign-instances':
      return of(nameSchema, ({ name }) => plain(201, { id: parts.launchForeign(name) }));
    case 'POST /control/buckets':
      return of(bucketsSchema, (buckets) => {
        parts.setBuckets(buckets);
        return plain(200, {});
      });
    case 'POST /control/forget-tokens':
      parts.forgetTokens();
      return plain(200, {});
    default:
      return undefined;
  }
}
