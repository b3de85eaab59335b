/** What is wrong with the spec of a node class, field by field, in words for whoever wrote it. */
import { z } from 'zod';
import type { Json } from '../base/json.ts';
import { didYouMean } from '../base/nearest.ts';
import { type Checked, type Problem, quoteInput } from '../base/problems.ts';

/** A class without a spec is one where everything is as usual. */
export function parseSpec<T>(schema: z.ZodType<T>, spec: Json, fields: readonly string[]): Checked<T> {
  const parsed = schema.safeParse(spec ?? {});
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, spec, schema, fields)) };
}

function problemsOf(issue: z.core.$ZodIssue, spec: Json, schema: z.ZodType, fields: readonly string[]): Problem[] {
  const path = ['spec', ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? fields : fieldsAt(schema, issue.path);
    const list = known.length === 0 ? '' : ` (known: ${known.join(', ')})`;
    return issue.keys.map((key) => ({
      path: `${path}.${key}`,
      message: `there is no such field${didYouMean(key, known)}${list}`,
    }));
  }
  const value = valueAt(spec, issue.path);
  if (issue.code === 'invalid_type' && value === undefined) {
    return [{ path, message: `is required and must be of type ${issue.expected}` }];
  }
  return [{ path, message: `${issue.message}, but it is ${quoteInput(value)}` }];
}

/** The fields that an object within a spec may have; none where it is not told. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = within(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = within(at.shape[String(key)]);
    else if (at instanceof z.ZodArray) at = within(at.element);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function within(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? within(schema.unwrap()) : schema;
}

function valueAt(spec: Json, path: readonly PropertyKey[]): unknown {
  let value: unknown = spec;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
