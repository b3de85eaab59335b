/** Turns what a schema complains about into one sentence: which field, what it should be, what it is. */
import type * as z from 'zod/mini';
import { joinPath } from './bounds.ts';

/** Values are never repeated in the reason (it is logged and kept with dead letters), only what sort of thing they are. */
export function describeIssue(issue: z.core.$ZodIssue, root: unknown): string {
  const path = issue.path.reduce<string>((path, key) => joinPath(path, String(key), typeof key === 'number'), '');
  const value = valueAt(root, issue.path);
  if (value === undefined) return `${path} is missing`;
  switch (issue.code) {
    case 'invalid_type':
      return `${path} must be ${article(issue.expected)}, but it is ${kindOf(value)}`;
    case 'invalid_value':
      return `${path} must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}, but it is ${shown(value)}`;
    case 'too_small':
      return typeof value === 'string' ? `${path} is empty` : `${path} must be at least ${issue.minimum}`;
    case 'too_big':
      return typeof value === 'string'
        ? `${path} is ${value.length} characters long; at most ${issue.maximum} are allowed`
        : `${path} must be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'datetime'
        ? `${path} must be a time like 2026-01-01T12:00:00Z`
        : `${path} has characters that are not allowed: it must match ${'pattern' in issue ? String(issue.pattern) : issue.format}`;
    default:
      return `${path || 'the event'} is not valid (${issue.code})`;
  }
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return Reflect.get(value, key);
  }, root);
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : article(typeof value);
}

function article(kind: string): string {
  const name = kind === 'int' ? 'integer' : kind;
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' && value.length <= 64 ? JSON.stringify(value) : kindOf(value);
}
