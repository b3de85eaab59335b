/** What a question about a provider ended with, if not with an answer, as a problem of HTTP. */
import type { Context } from 'hono';
import type { Failure } from '../../../shared/base/result.ts';
import { asSentence, cutText } from '../../../shared/base/text.ts';
import { scrubText } from '../../../shared/observe/log/redact.ts';
import { capitalized } from './known-names.ts';
import { problem } from './problem.ts';

/** The statuses that a route names beside `refuseAnswer`. */
export const refusals = [400, 404, 409, 503] as const;

interface Refusal {
  status: (typeof refusals)[number];
  kind: string;
}

const unavailable: Refusal = { status: 503, kind: 'provider-unavailable' };

const byKind: Partial<Record<Failure['kind'], Refusal>> = {
  invalid: { status: 400, kind: 'invalid-request' },
  'not-found': { status: 404, kind: 'dependency-not-found' },
  'not-ready': { status: 409, kind: 'node-class-not-ready' },
  conflict: { status: 409, kind: 'operation-in-progress' },
  throttled: { status: 503, kind: 'throttled' },
  unauthorised: { status: 503, kind: 'unauthorised' },
};

/** @param own Where a route has a word of its own for a kind of failure. */
export function refuseAnswer(c: Context, failure: Failure, own: typeof byKind = {}) {
  const { kind, message, retryAfterSeconds } = failure;
  const { status, kind: said } = own[kind] ?? byKind[kind] ?? unavailable;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
  return problem(c, status, said, asSentence(capitalized(cutText(scrubText(message), 2000))), {}, headers);
}
