/**
 * What a rule may cost. A real server counts what a rule does and gives up; here the worst case is estimated before it begins: the longest
 * list, once for each level of macros within macros. Only what patterns cost is counted as it happens. The simulator answers no other request
 * while it judges a rule.
 */
import { type ASTNode, EvaluationError } from '@marcbachmann/cel-js';
import type { Json } from '../../../../shared/base/json.ts';

/** Rules of real CRDs have some hundred letters. */
export const longestRule = 5000;
const mostSteps = 30_000;
/** A pattern may take a time that grows with the square of the text: one text of 2,048 letters, or very many short ones. */
const mostMatched = 2048 ** 2;
export const overBudget = 'validation failed due to running out of cost budget';

const macros = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'transformList', 'transformMap']);

export const isNode = (part: unknown): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part;

/** How deep macros are within macros. */
export function depthOf(part: unknown): number {
  if (Array.isArray(part)) return part.reduce<number>((most, one) => Math.max(most, depthOf(one)), 0);
  if (!isNode(part)) return 0;
  const called = part.op === 'rcall' ? part.args[0] : '';
  return depthOf(part.args) + (macros.has(called) ? 1 : 0);
}

/** Whether a rule with macros so deep could take too long with this value. */
export const isTooMuch = (depth: number, value: Json | undefined): boolean =>
  depth > 0 && longestList(value) ** depth > mostSteps;

function longestList(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce((most: number, part) => Math.max(most, longestList(part)), parts.length);
}

let matched = 0;
/** Before each evaluation: what patterns cost is counted for it alone. */
export function beginSpending(): void {
  matched = 0;
}

/** Before a pattern is searched for in a text. */
export function spend(text: string): void {
  matched += text.length ** 2;
  if (matched > mostMatched) throw new EvaluationError(overBudget);
}
