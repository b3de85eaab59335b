/**
 * Validation rules of CRDs (x-kubernetes-validations) in CEL. A rule that can't be read here is not held: the simulator is
 * rather too lax than refuses what a real server takes.
 */
import { EvaluationError, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import type { Json } from '../../../shared/base/json.ts';
import { beginSpending, depthOf, isNode, isTooMuch, longestRule, overBudget } from './cel/cost.ts';
import { celEnvironment, regular, Unreadable, withBoundedMatches } from './cel/environment.ts';
import { celValue } from './cel/values.ts';
import type { Schema } from './schema.ts';

/** What is wrong, or nothing. `old` is undefined on creation, when rules about the change do not apply. */
export type Rule = (value: Json, old: Json | undefined, schema?: Schema) => { error?: string } | undefined;

const compiled = new Map<string, Rule | undefined>();

export function compileRule(text: string): Rule | undefined {
  if (!compiled.has(text)) compiled.set(text, compile(text));
  return compiled.get(text);
}

function compile(text: string): Rule | undefined {
  const expression = readable(text);
  if (expression === undefined) return undefined;
  const isTransition = /\boldSelf\b/.test(text);
  const depth = depthOf(expression.ast);
  return (value, old, schema) => {
    if (isTransition && old === undefined) return undefined;
    if (isTooMuch(depth, value) || (isTransition && isTooMuch(depth, old))) return { error: overBudget };
    beginSpending();
    const self = celValue(value, schema);
    try {
      const holds = expression(isTransition && old !== undefined ? { self, oldSelf: celValue(old, schema) } : { self });
      return holds === true ? undefined : {};
    } catch (error) {
      // A rule that can't be evaluated does not hold.
      if (error instanceof EvaluationError) return { error: asServerSays(error) };
      if (error instanceof Unreadable || error instanceof RangeError) return undefined;
      throw error;
    }
  };
}

/** Unknown functions and what is no condition are found before anything is judged. */
function readable(text: string): ParseResult | undefined {
  if (text.length > longestRule) return undefined;
  try {
    const expression = celEnvironment.parse(withBoundedMatches(text));
    const { valid, type } = expression.check();
    if (!valid || (type !== 'bool' && type !== 'dyn')) return undefined;
    checkPatterns(expression.ast);
    return expression;
  } catch (error) {
    // A RangeError: it is nested too deeply for the library.
    if (error instanceof ParseError || error instanceof Unreadable || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The library reads patterns leniently: `\z` or `[[:alpha:]]` would be something else than in a real server. */
function checkPatterns(part: unknown): void {
  if (Array.isArray(part)) part.forEach(checkPatterns);
  if (!isNode(part)) return;
  if (part.op === 'rcall' && part.args[0] === 'matchesWithin') {
    for (const pattern of part.args[2]) {
      // One that comes with the object could be any.
      if (pattern.op !== 'value') throw new Unreadable('a pattern that is no literal');
      regular(String(pattern.args));
    }
  }
  checkPatterns(part.args);
}

/** In the words of a real server, which tests and users compare. */
function asServerSays({ code, summary }: EvaluationError): string {
  if (code === 'no_such_key') return summary.replace('No such key', 'no such key');
  if (code === 'int_conversion_error') return "type conversion error from 'string' to 'int'";
  if (code === 'index_out_of_bounds') return 'index out of bounds';
  return overloadCodes.has(code) ? 'no such overload' : summary;
}

const overloadCodes = new Set(['no_such_overload', 'no_matching_overload', 'invalid_logical_operand']);
