/** What no cloud offers and every stand-in has, under the same paths: its health, its figures, its faults and its ledger. */
import type { Json } from '../../shared/base/json.ts';
import type { Overlap } from '../cloud/overlaps.ts';
import { describeIssues } from './describe-issues.ts';
import { type FaultBook, faultRulesSchema } from './faults.ts';

export interface LedgerControlParts {
  faults: FaultBook;
  setFaults: (rules: unknown) => void;
  ledger: () => readonly { seq: number }[];
  overlaps: () => Overlap[];
  stats: () => { [key: string]: Json };
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Undefined when the path is none of these; a text is what is wrong with the request. */
export function ledgerControl(
  parts: LedgerControlParts,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): { body: Json } | { wrong: string } | undefined {
  switch (`${method} ${path}`) {
    case 'GET /healthz':
      return { body: { status: 'ok' } };
    case 'GET /stats':
      return { body: parts.stats() };
    case 'GET /faults':
      return { body: asJson(parts.faults.rules) };
    case 'POST /faults': {
      const parsed = faultRulesSchema.safeParse(body);
      if (!parsed.success) return { wrong: describeIssues(parsed.error) };
      parts.setFaults(body);
      return { body: { rules: parts.faults.rules.length } };
    }
    case 'GET /ledger': {
      const limit = Math.min(Math.max(1, Number(query.get('limit') ?? 500)), 5000);
      const after = Number(query.get('after') ?? 0);
      const items = parts.ledger().slice(after, after + limit);
      const last = items.at(-1);
      const next = items.length < limit || last === undefined ? {} : { next: last.seq };
      return { body: { items: asJson(items), ...next } };
    }
    case 'GET /ledger/overlaps':
      return { body: { items: asJson(parts.overlaps()) } };
    default:
      return undefined;
  }
}
