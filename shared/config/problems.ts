/** Turns what the schema found into lines for people: where, which field, what was found, what is allowed, what is nearest. */

import type * as z from 'zod/mini';
import { defined } from '../base/defined.ts';
import { isObject } from '../base/json.ts';
import { didYouMean } from '../base/nearest.ts';
import { isSecretKey, scrubText } from '../observe/log/redact.ts';
import type { CrossProblem } from './cross-checks.ts';
import { configSchema } from './schema.ts';
import { fieldsAt } from './schema-walk.ts';

export interface Problem {
  path: PropertyKey[];
  /** The key itself is wrong, not its value. */
  aboutKey: boolean;
  text: string;
}

const maxShown = 80;

/** Everything that is wrong, from the schema and from the checks between fields. */
export function problemsOf(
  input: unknown,
  issues: readonly z.core.$ZodIssue[],
  cross: readonly CrossProblem[],
): Problem[] {
  return [
    ...issues.flatMap((issue) => fromSchema(issue, input)),
    ...cross.map(({ path, message, candidates }) => {
      const found = valueAt(input, path);
      return aboutValue({ path, text: message, found, isMap: isObject(found), ...defined({ candidates }) });
    }),
  ];
}

function fromSchema(issue: z.core.$ZodIssue, input: unknown): Problem[] {
  const path = [...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const fields = fieldsAt(configSchema, path);
    // The values are not shown: who misspells "token" has a secret behind it.
    return issue.keys.map((key) => ({
      path: [...path, key],
      aboutKey: true,
      text: `is not a known field; allowed here: ${fields.join(', ')}${didYouMean(key, fields)}`,
    }));
  }
  if (issue.code === 'invalid_key') {
    return [{ path, aboutKey: true, text: issue.issues[0]?.message ?? 'is not a valid name here' }];
  }
  const candidates = issue.code === 'invalid_value' ? issue.values.map(String) : undefined;
  const found = valueAt(input, path);
  // A check of ours on a map is about what the map lacks; every other issue is about the value itself.
  const isMap = isObject(found) && issue.code === 'custom';
  return [aboutValue({ path, text: allowedText(issue), found, isMap, ...defined({ candidates }) })];
}

interface AboutValue {
  path: PropertyKey[];
  text: string;
  found: unknown;
  /** A map that lacks something is not a value to be shown. */
  isMap: boolean;
  candidates?: string[];
}

function aboutValue({ path, text, found, isMap, candidates = [] }: AboutValue): Problem {
  const seen = found === undefined ? '; it is missing' : isMap ? '' : `; found ${show(found, path)}`;
  const hint = typeof found === 'string' ? didYouMean(found, candidates) : '';
  return { path, aboutKey: isMap, text: `${text}${seen}${hint}` };
}

function allowedText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return `must be ${typeText(issue.expected)}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'must not be empty'
        : `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function typeText(expected: string): string {
  const names: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'a map of fields',
    record: 'a map of names',
    array: 'a list',
  };
  return names[expected] ?? expected;
}

function show(value: unknown, path: readonly PropertyKey[]): string {
  if (path.some((key) => typeof key === 'string' && isSecretKey(key))) return 'a value that is not shown';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a map';
  const text = scrubText(JSON.stringify(value) ?? String(value));
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** What stands at a path, or undefined. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let at = input;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

/** `clusters.east.providers[0]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
