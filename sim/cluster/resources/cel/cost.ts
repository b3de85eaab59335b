/**
 * What a rule may cost. A real server counts what a rule does and gives up; here the worst case is estimated before it begins: the longest
 * list, once for each level of macros within macros. Nobody else is served while a rule is judged.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Json } from '../../../../shared/base/json.ts';

/** Rules of real CRDs have some hundred letters. */
export const longestRule = 5000;
const mostSteps = 100_000;
/** Patterns may take a time that grows with the square of the text. */
const longestMatched = 4096;

const macros = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'transformList', 'transformMap']);

export interface Shape {
  /** How deep macros are within macros. */
  depth: number;
  hasPatterns: boolean;
}

export const isNode = (part: unknown): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part;

export function shapeOf(part: unknown): Shape {
  if (Array.isArray(part)) {
    const shapes = part.map(shapeOf);
    const depth = shapes.reduce((most, one) => Math.max(most, one.depth), 0);
    return { depth, hasPatterns: shapes.some((one) => one.hasPatterns) };
  }
  if (!isNode(part)) return { depth: 0, hasPatterns: false };
  const inner = shapeOf(part.args);
  const called = part.op === 'rcall' ? part.args[0] : '';
  const depth = inner.depth + (macros.has(called) ? 1 : 0);
  return { depth, hasPatterns: inner.hasPatterns || /^(matches|find|findAll)$/.test(called) };
}

/** Whether a rule of this shape could take too long with this value. */
export function isTooMuch({ depth, hasPatterns }: Shape, value: Json | undefined): boolean {
  if (depth < 1 && !hasPatterns) return false;
  const { items, text } = largest(value);
  return items ** depth > mostSteps || (hasPatterns && text > longestMatched);
}

function largest(value: Json | undefined): { items: number; text: number } {
  if (typeof value === 'string') return { items: 0, text: value.length };
  if (typeof value !== 'object' || value === null) return { items: 0, text: 0 };
  const parts = Object.entries(value);
  const most = { items: parts.length, text: 0 };
  for (const [key, part] of parts) {
    const { items, text } = largest(part);
    most.items = Math.max(most.items, items);
    most.text = Math.max(most.text, text, key.length);
  }
  return most;
}
