/** Evaluates expressions of CEL over JSON. What a real server calls an evaluation error is thrown as `CelError`. */
import type { Json } from '../../../../shared/base/json.ts';
import { isObject, own, sameJson } from '../../types.ts';
import type { Expression } from './parse.ts';
import { Unreadable } from './tokens.ts';

export class CelError extends Error {}

export type Scope = ReadonlyMap<string, Json>;

export function evaluate(expression: Expression, scope: Scope): Json {
  switch (expression.do) {
    case 'literal':
      return expression.value;
    case 'list':
      return expression.items.map((item) => evaluate(item, scope));
    case 'name':
      return known(scope.get(expression.name), expression.name);
    case 'field':
      return known(fieldOf(evaluate(expression.of, scope), expression.name), expression.name);
    case 'index': {
      const of = evaluate(expression.of, scope);
      const at = evaluate(expression.at, scope);
      return known(Array.isArray(of) && typeof at === 'number' ? of[at] : fieldOf(of, String(at)), String(at));
    }
    case 'not':
      return !truth(expression.of, scope);
    case 'minus':
      return -numberOf(evaluate(expression.of, scope));
    case 'choice':
      return evaluate(truth(expression.when, scope) ? expression.yes : expression.no, scope);
    case 'binary':
      return binary(expression, scope);
    case 'call':
      return call(expression, scope);
  }
}

type Binary = Extract<Expression, { do: 'binary' }>;

function binary({ operator, left, right }: Binary, scope: Scope): Json {
  // One side that decides is enough, also when the other one can't be evaluated.
  if (operator === '||') return decided([left, right], scope, true);
  if (operator === '&&') return decided([left, right], scope, false);
  const a = evaluate(left, scope);
  const b = evaluate(right, scope);
  switch (operator) {
    case '==':
      return sameJson(a, b);
    case '!=':
      return !sameJson(a, b);
    case 'in':
      return Array.isArray(b) ? b.some((item) => sameJson(item, a)) : fieldOf(b, String(a)) !== undefined;
    case '+':
      return typeof a === 'string' && typeof b === 'string' ? a + b : numberOf(a) + numberOf(b);
    case '-':
      return numberOf(a) - numberOf(b);
    default:
      return compared(operator, a, b);
  }
}

function compared(operator: string, a: Json, b: Json): boolean {
  const [x, y] = typeof a === 'string' && typeof b === 'string' ? [a, b] : [numberOf(a), numberOf(b)];
  if (operator === '<') return x < y;
  if (operator === '<=') return x <= y;
  return operator === '>' ? x > y : x >= y;
}

function decided(sides: readonly Expression[], scope: Scope, decisive: boolean): boolean {
  return foldTruth(
    sides.map((side) => () => truth(side, scope)),
    decisive,
  );
}

/** `decisive` if any says so; else what went wrong with one of them, if anything did. */
function foldTruth(sides: readonly (() => boolean)[], decisive: boolean): boolean {
  let wrong: CelError | undefined;
  for (const side of sides) {
    try {
      if (side() === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      wrong ??= error;
    }
  }
  if (wrong !== undefined) throw wrong;
  return !decisive;
}

type Call = Extract<Expression, { do: 'call' }>;

function call({ on, name, args }: Call, scope: Scope): Json {
  if (on === undefined && name === 'has') return isThere(args[0], scope);
  if (on !== undefined && (name === 'all' || name === 'exists')) return overItems(on, name, args, scope);
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (run === undefined) throw new Unreadable(`the function ${name}`);
  const [first = null, second = null] = [...(on === undefined ? [] : [on]), ...args].map((one) => evaluate(one, scope));
  return run(first, second);
}

/** Called as `f(a, b)` or as `a.f(b)`. */
const functions: Readonly<Record<string, (first: Json, second: Json) => Json>> = {
  size: (value) => sizeOf(value),
  int: (value) => wholeNumber(value),
  startsWith: (value, start) => textOf(value).startsWith(textOf(start)),
  endsWith: (value, end) => textOf(value).endsWith(textOf(end)),
  contains: (value, part) => textOf(value).includes(textOf(part)),
  matches: (value, pattern) => regular(pattern).test(textOf(value)),
  find: (value, pattern) => regular(pattern).exec(textOf(value))?.[0] ?? '',
  split: (value, separator) => textOf(value).split(textOf(separator)),
};

function isThere(what: Expression | undefined, scope: Scope): boolean {
  if (what?.do !== 'field') throw new Unreadable('has() of something else than a field');
  return fieldOf(evaluate(what.of, scope), what.name) !== undefined;
}

/** Of a map, the keys are gone through. */
function overItems(on: Expression, name: 'all' | 'exists', args: readonly Expression[], scope: Scope): boolean {
  const [variable, condition] = args;
  if (variable?.do !== 'name' || condition === undefined) throw new Unreadable(`${name} without a variable`);
  const of = evaluate(on, scope);
  const items = Array.isArray(of) ? of : Object.keys(isObject(of) ? of : {});
  return foldTruth(
    items.map((item) => () => truth(condition, new Map([...scope, [variable.name, item]]))),
    name === 'exists',
  );
}

function truth(expression: Expression, scope: Scope): boolean {
  const value = evaluate(expression, scope);
  if (typeof value !== 'boolean') throw new CelError('no such overload');
  return value;
}

const fieldOf = (of: Json, name: string): Json | undefined => (isObject(of) ? own(of, name) : undefined);

function known(value: Json | undefined, name: string): Json {
  if (value === undefined) throw new CelError(`no such key: ${name}`);
  return value;
}

function textOf(value: Json): string {
  if (typeof value !== 'string') throw new CelError('no such overload');
  return value;
}

function numberOf(value: Json): number {
  if (typeof value !== 'number') throw new CelError('no such overload');
  return value;
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new CelError('no such overload');
}

/** Texts are read as 64 bits; what is larger is an error, as it is on a real server. */
function wholeNumber(value: Json): number {
  if (typeof value === 'number') return Math.trunc(value);
  const text = textOf(value);
  const number = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (number === undefined || BigInt.asIntN(64, number) !== number) {
    throw new CelError("type conversion error from 'string' to 'int'");
  }
  return Number(number);
}

/** Patterns are RE2 in a real server. */
function regular(pattern: Json): RegExp {
  try {
    return new RegExp(textOf(pattern), 'u');
  } catch (error) {
    if (error instanceof CelError) throw error;
    throw new Unreadable(`the pattern ${String(pattern)}`);
  }
}
