/**
 * What ARM says in an error, unfolded. The useful sentence is often deep inside: in `details`, in `innererror`, or as JSON
 * within a message; and some services leave the outer `error` out.
 */

import type { Json } from '../../base/json.ts';
import { cutText } from '../../base/text.ts';
import { bodyText } from '../../net/foreign-body.ts';

export interface ArmProblem {
  code: string;
  message: string;
}

/** An answer of ARM, whatever its status. Header names are in lower case. */
export interface ArmAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** Undefined when there was none, or it was no JSON. */
  body: Json | undefined;
}

const mostProblems = 20;
const deepest = 8;

/** Outermost first; empty when nothing in the body looks like an error of ARM. */
export function problemsIn(body: Json | undefined): ArmProblem[] {
  const found: ArmProblem[] = [];
  unfold(body, 0, found);
  const seen = new Set<string>();
  return found.filter(({ code, message }) => {
    const key = `${code}\n${message}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

function unfold(value: Json | undefined, depth: number, found: ArmProblem[]): void {
  if (depth > deepest || found.length >= mostProblems) return;
  if (Array.isArray(value)) {
    for (const item of value) unfold(item, depth + 1, found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const { error, code, message, details, innererror, innerError } = value;
  if (typeof code === 'string' || typeof message === 'string') {
    const text = typeof message === 'string' ? message : '';
    const inside = jsonIn(text);
    found.push({ code: typeof code === 'string' ? code : '', message: inside === undefined ? text : '' });
    unfold(inside, depth + 1, found);
  }
  for (const inner of [error, details, innererror, innerError]) unfold(inner, depth + 1, found);
}

function jsonIn(text: string): Json | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Request ids and hints for the portal make a condition unreadable, so only so much of a message is kept. */
const longestMessage = 600;

/** One text of all problems: those that say something, the innermost last. */
export function describeProblems(problems: readonly ArmProblem[]): string {
  const texts = problems.map(({ code, message }) => {
    const text = bodyText(message, longestMessage);
    return text === '' ? code : code === '' ? text : `${code}: ${text}`;
  });
  return cutText([...new Set(texts)].filter((one) => one !== '').join('; '), longestMessage);
}
