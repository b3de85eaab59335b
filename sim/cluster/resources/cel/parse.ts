/** Expressions of CEL as a tree. The grammar is the part that rules of CRDs use; anything else is `Unreadable`. */
import { type Token, tokensOf, Unreadable } from './tokens.ts';

export type Expression =
  | { do: 'literal'; value: string | number | boolean | null }
  | { do: 'list'; items: Expression[] }
  | { do: 'name'; name: string }
  | { do: 'field'; of: Expression; name: string }
  | { do: 'index'; of: Expression; at: Expression }
  | { do: 'call'; on?: Expression; name: string; args: Expression[] }
  | { do: 'not' | 'minus'; of: Expression }
  | { do: 'binary'; operator: string; left: Expression; right: Expression }
  | { do: 'choice'; when: Expression; yes: Expression; no: Expression };

/** From weak to strong. */
const levels: readonly (readonly string[])[] = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>=', 'in'], ['+', '-']];

const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

export function parseCel(text: string): Expression {
  const tokens = tokensOf(text);
  let position = 0;

  const isNext = (text: string): boolean => {
    const token = tokens[position];
    return (token?.kind === 'operator' || token?.kind === 'name') && token.text === text;
  };
  const take = (): Token => tokens[position++] ?? { kind: 'end' };
  const takeIf = (text: string): boolean => {
    if (!isNext(text)) return false;
    position++;
    return true;
  };
  const expect = (text: string): void => {
    if (!takeIf(text)) throw new Unreadable(`"${text}" is missing`);
  };

  const expression = (): Expression => {
    const when = binary(0);
    if (!takeIf('?')) return when;
    const yes = expression();
    expect(':');
    return { do: 'choice', when, yes, no: expression() };
  };

  const binary = (level: number): Expression => {
    const operators = levels[level];
    if (operators === undefined) return unary();
    let left = binary(level + 1);
    for (;;) {
      const operator = operators.find(isNext);
      if (operator === undefined) return left;
      position++;
      left = { do: 'binary', operator, left, right: binary(level + 1) };
    }
  };

  const unary = (): Expression => {
    if (takeIf('!')) return { do: 'not', of: unary() };
    if (takeIf('-')) return { do: 'minus', of: unary() };
    return postfix(primary());
  };

  const postfix = (first: Expression): Expression => {
    let of = first;
    for (;;) {
      if (takeIf('.')) {
        const token = take();
        if (token.kind !== 'name') throw new Unreadable('a name is missing');
        of = takeIf('(')
          ? { do: 'call', on: of, name: token.text, args: list(')') }
          : { do: 'field', of, name: token.text };
      } else if (takeIf('[')) {
        of = { do: 'index', of, at: expression() };
        expect(']');
      } else return of;
    }
  };

  const primary = (): Expression => {
    const token = take();
    if (token.kind === 'string') return { do: 'literal', value: token.text };
    if (token.kind === 'number') return { do: 'literal', value: token.value };
    if (token.kind === 'name') {
      const constant = Object.hasOwn(constants, token.text) ? constants[token.text] : undefined;
      if (constant !== undefined) return { do: 'literal', value: constant };
      return takeIf('(') ? { do: 'call', name: token.text, args: list(')') } : { do: 'name', name: token.text };
    }
    if (token.kind === 'operator' && token.text === '(') {
      const inner = expression();
      expect(')');
      return inner;
    }
    if (token.kind === 'operator' && token.text === '[') return { do: 'list', items: list(']') };
    throw new Unreadable(text);
  };

  const list = (end: string): Expression[] => {
    const items: Expression[] = [];
    while (!takeIf(end)) {
      if (items.length > 0) expect(',');
      items.push(expression());
    }
    return items;
  };

  const whole = expression();
  if (take().kind !== 'end') throw new Unreadable(text);
  return whole;
}
