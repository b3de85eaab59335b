/** Turns what a schema says about a path, a query or a body into sentences. */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { describeIssue } from '../../../events/issue.ts';
import { didYouMean } from '../../../shared/base/nearest.ts';
import { asSentence, cutText } from '../../../shared/base/text.ts';
import { problem } from './problem.ts';

/** An object that refuses other fields: a misspelled one would quietly mean something else, such as "all". */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const written = issue.keys[0] ?? '';
      return `${JSON.stringify(cutText(written, 64))} is unknown${didYouMean(written, Object.keys(shape))}`;
    },
  });
}

/** The query of everything that comes in pages. */
export const pageQuery = {
  after: z.string().min(1).max(512).optional().openapi({ description: 'The `next` of the previous page.' }),
  limit: z.coerce.number().int().min(1).max(100).default(100),
};

const places: Record<string, string> = { param: 'path', query: 'query', json: 'body' };

type Validation = { target: string; data?: unknown } & ({ success: true } | { success: false; error: z.ZodError });

/** The hook behind every validated part of every route. */
export function refuseInvalid(result: Validation, c: Context) {
  if (result.success) return undefined;
  const sentences = result.error.issues.slice(0, 3).map((issue) => sentenceFor(issue, result.data));
  return problem(
    c,
    400,
    'invalid-request',
    asSentence(`In the ${places[result.target] ?? result.target}: ${sentences.join('; ')}`),
  );
}

function sentenceFor(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return issue.message;
  // Numbers of a query come as text: what counts is what they were read as.
  const field = issue.path.join('.');
  if (issue.code === 'too_small' && issue.origin === 'number') return `${field} must be at least ${issue.minimum}`;
  if (issue.code === 'too_big' && issue.origin === 'number') return `${field} must be at most ${issue.maximum}`;
  // Checks of ours have words of their own, which follow the field.
  if (issue.code === 'custom') return `${field} ${issue.message}`;
  if (issue.path.length === 0 && issue.code === 'invalid_type') return `it must be a JSON ${issue.expected}`;
  return describeIssue(issue, value);
}
