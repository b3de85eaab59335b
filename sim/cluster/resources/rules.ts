/**
 * Validation rules of CRDs (x-kubernetes-validations) in CEL: the part of the language that such rules mostly use. A rule
 * that goes beyond it is not held: the simulator is rather too lax than refuses what a real server takes.
 */
import type { Json } from '../../../shared/base/json.ts';
import { CelError, evaluate } from './cel/evaluate.ts';
import { type Expression, parseCel } from './cel/parse.ts';
import { Unreadable } from './cel/tokens.ts';

/** What is wrong, or nothing. `old` is undefined on creation, when rules about the change do not apply. */
export type Rule = (value: Json, old: Json | undefined) => { error?: string } | undefined;

const compiled = new Map<string, Rule | undefined>();

export function compileRule(text: string): Rule | undefined {
  if (!compiled.has(text)) compiled.set(text, compile(text));
  return compiled.get(text);
}

function compile(text: string): Rule | undefined {
  let expression: Expression;
  try {
    expression = parseCel(text);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  const isTransition = /\boldSelf\b/.test(text);
  return (value, old) => {
    if (isTransition && old === undefined) return undefined;
    const scope = new Map([['self', value]]);
    if (old !== undefined) scope.set('oldSelf', old);
    try {
      return evaluate(expression, scope) === true ? undefined : {};
    } catch (error) {
      // A rule that can't be evaluated does not hold.
      if (error instanceof CelError) return { error: error.message };
      if (error instanceof Unreadable) return undefined;
      throw error;
    }
  };
}
