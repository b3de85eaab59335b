/**
 * Checks the shape of objects that come from a cluster. Fields we do not know are kept; fields we use must have the right
 * type and a bounded size. Whether the wishes in it make sense is judged later (`parseRequirements`, `parseResources`):
 * a claim with a senseless wish must still be readable, or it could never be deleted.
 */
import { type Checked, misspelled, type Problem, quoteInput } from '../../../base/problems.ts';
import type * as z from '../../../base/schemas.ts';
import { makeShapes } from './claim-shapes.ts';
import type { Node, NodeClaim, NodePool } from './types.ts';

export type ParsedNodeClaim = { ok: true; claim: NodeClaim } | { ok: false; problems: Problem[] };

/** More than any real object has; a hostile one is refused before it costs anything. */
const deepest = 40;
const mostProblems = 20;

let shapes: ReturnType<typeof makeShapes> | undefined;

function shapeOf<Kind extends keyof ReturnType<typeof makeShapes>>(kind: Kind) {
  shapes ??= makeShapes();
  return shapes[kind];
}

export function parseNodeClaim(input: unknown): ParsedNodeClaim {
  const checked = check<NodeClaim>(shapeOf('nodeClaim'), input);
  return checked.ok ? { ok: true, claim: checked.value } : checked;
}

export const parseNodePool = (input: unknown): Checked<NodePool> => check<NodePool>(shapeOf('nodePool'), input);

export const parseNode = (input: unknown): Checked<Node> => check<Node>(shapeOf('node'), input);

function check<T>(schema: z.ZodMiniType<T>, input: unknown): Checked<T> {
  if (isDeeperThan(input, deepest)) {
    return { ok: false, problems: [{ path: '', message: `is nested more than ${deepest} levels deep` }] };
  }
  const result = schema.safeParse(withoutNulls(input));
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.slice(0, mostProblems).map((issue) => problemOf(issue, input));
  return { ok: false, problems };
}

function problemOf(issue: z.core.$ZodIssue, input: unknown): Problem {
  const path = formatPath(issue.path);
  const message = messageOf(issue, input);
  const written = valueAt(input, issue.path);
  // Only a text can be misspelled; an object may even have a field `toString`, and then has no text at all.
  if (issue.code !== 'invalid_value' || typeof written !== 'string') return { path, message };
  return misspelled(path, message, written, issue.values.map(String));
}

/** The schema's own words name types of JavaScript; people want to know what stands there, and what should. */
function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  const found = valueAt(input, issue.path);
  const absent = found === undefined || found === null;
  switch (issue.code) {
    case 'invalid_type':
      return absent ? `is missing; it must be ${kindText(issue.expected)}` : isNot(found, kindText(issue.expected));
    case 'invalid_value':
      return `${quoteInput(found)} is not allowed; use one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return isNot(found, 'a text or a number');
    default:
      return issue.message;
  }
}

const isNot = (found: unknown, kind: string): string => `${quoteInput(found)} is not ${kind}`;

const kindTexts: Readonly<Record<string, string>> = {
  string: 'a text',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  int: 'a whole number',
  boolean: 'true or false',
};
const kindText = (expected: string): string => kindTexts[expected] ?? `a ${expected}`;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** To the API server, a field that is null is a field that is absent; so it is to us. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutNulls(field)]));
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((field) => isDeeperThan(field, levels - 1));
}

/** `spec.requirements[2].key`; names that are no plain words are quoted. */
function formatPath(path: readonly PropertyKey[]): string {
  let result = '';
  for (const part of path) {
    if (typeof part === 'number') result += `[${part}]`;
    else if (/^\w+$/.test(String(part))) result += `${result === '' ? '' : '.'}${String(part)}`;
    else result += `[${JSON.stringify(String(part)).slice(0, 80)}]`;
  }
  return result;
}
