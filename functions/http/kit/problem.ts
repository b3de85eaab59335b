/** Every error answer of the HTTP functions: application/problem+json (RFC 9457), for people and for programs. */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { codeOfKind } from '../../../shared/observe/errors/code-of-kind.ts';
import { late } from './late-schema.ts';

const titles = {
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
} as const;

export type ProblemStatus = keyof typeof titles;

/** What is wrong with one event of a request. */
export const rejectionSchema = late(() =>
  z
    .object({
      index: z.number().int().min(0).openapi({ description: 'Position in the batch; 0 for a single event.' }),
      id: z.string().optional().openapi({ description: 'The id of the event, if it has a usable one.' }),
      reason: z.string(),
    })
    .openapi('Rejection'),
);

export type Rejection = z.infer<ReturnType<typeof rejectionSchema>>;

/** Of a request for a cluster: each thing that is wrong, with its code and its fix. */
export const findingSchema = late(() =>
  z
    .object({
      severity: z.enum(['error', 'warning']),
      field: z.string(),
      code: z.string(),
      cause: z.string(),
      fix: z.string(),
    })
    .openapi('Finding'),
);

export type ShownFinding = z.infer<ReturnType<typeof findingSchema>>;

const problemSchema = late(() =>
  z
    .object({
      type: z.string().openapi({ example: 'urn:poolwright:problem:unknown-claim' }),
      code: z.string().openapi({
        example: 'UnknownClaim',
        description: 'The code for `poolwright errors`, which shows the cause and the fix.',
      }),
      title: z.string(),
      status: z.number().int(),
      detail: z.string(),
      instance: z
        .string()
        .optional()
        .openapi({ description: 'Identifies this failure; the log line has the same id.' }),
      rejected: z.array(rejectionSchema()).optional(),
      findings: z.array(findingSchema()).optional(),
    })
    .openapi('Problem'),
);

export interface ProblemExtras {
  instance?: string;
  rejected?: Rejection[];
  findings?: ShownFinding[];
}

/**
 * @param kind Stable and short: programs compare it, people read `detail`. Each has an entry in the catalog of errors.
 */
export function problem<Status extends ProblemStatus>(
  c: Context,
  status: Status,
  kind: string,
  detail: string,
  extras: ProblemExtras = {},
  headers: Record<string, string> = {},
) {
  const type = `urn:poolwright:problem:${kind}`;
  const body = { type, code: codeOfKind(kind), title: titles[status], status: status as number, detail };
  return c.json({ ...body, ...extras }, status, { ...headers, 'content-type': 'application/problem+json' });
}

type ProblemResponse = {
  description: string;
  content: { 'application/problem+json': { readonly schema: ReturnType<typeof problemSchema> } };
};

const content: ProblemResponse['content'] = {
  'application/problem+json': {
    get schema() {
      return problemSchema();
    },
  },
};

/** The entries of a route's `responses` for the problems that it may answer with. */
export function problems<Status extends ProblemStatus>(...statuses: Status[]): Record<Status, ProblemResponse> {
  const entries = statuses.map((status) => [status, { description: titles[status], content }]);
  return Object.fromEntries(entries) as Record<Status, ProblemResponse>;
}
