/**
 * The part of DynamoDB's condition expressions that state needs: comparisons, `attribute_exists`, `attribute_not_exists`,
 * `begins_with`, AND, OR and brackets.
 */

export type AttributeValue = { S: string } | { N: string };
export type Item = Readonly<Record<string, AttributeValue>>;
export type Values = Readonly<Record<string, AttributeValue>>;

/** An expression that the service would refuse. */
export class ExpressionError extends Error {
  override readonly name = 'ValidationException';
}

type Test = (item: Item | undefined) => boolean;

const tokens = /\s*(<=|>=|<>|[()=<>,]|:?[A-Za-z_][\w.]*)/y;

/** @returns Whether an item, or its absence, meets the expression. */
export function parseExpression(text: string, values: Values): Test {
  const parser = new Parser(tokenize(text), values);
  const test = parser.either();
  parser.end();
  return test;
}

function tokenize(text: string): string[] {
  const found: string[] = [];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < text.trimEnd().length) {
    const at = tokens.lastIndex;
    const token = tokens.exec(text)?.[1];
    if (token === undefined) throw new ExpressionError(`Invalid expression: syntax error near "${text.slice(at)}"`);
    found.push(token);
  }
  return found;
}

class Parser {
  readonly #tokens: string[];
  readonly #values: Values;

  constructor(found: string[], values: Values) {
    this.#tokens = found;
    this.#values = values;
  }

  either(): Test {
    let test = this.#both();
    while (this.#is('OR')) {
      const [left, right] = [test, this.#both()];
      test = (item) => left(item) || right(item);
    }
    return test;
  }

  end(): void {
    if (this.#tokens.length > 0) throw new ExpressionError(`Invalid expression: unexpected "${this.#tokens[0]}"`);
  }

  #both(): Test {
    let test = this.#one();
    while (this.#is('AND')) {
      const [left, right] = [test, this.#one()];
      test = (item) => left(item) && right(item);
    }
    return test;
  }

  #one(): Test {
    if (this.#is('(')) {
      const test = this.either();
      this.#expect(')');
      return test;
    }
    const name = this.#next();
    if (name === 'attribute_exists' || name === 'attribute_not_exists') {
      const [attribute = ''] = this.#arguments();
      return (item) => (item?.[attribute] !== undefined) === (name === 'attribute_exists');
    }
    if (name === 'begins_with') {
      const [attribute = '', prefix = ''] = this.#arguments();
      const start = textOf(this.#value(prefix));
      return (item) => item?.[attribute] !== undefined && textOf(item[attribute]).startsWith(start);
    }
    return this.#comparison(name);
  }

  #comparison(attribute: string): Test {
    const operator = this.#next();
    const value = this.#value(this.#next());
    const holds = operators[operator];
    if (!holds) throw new ExpressionError(`Invalid expression: unexpected "${operator}"`);
    // An attribute that is not there meets no comparison.
    return (item) => item?.[attribute] !== undefined && holds(compare(item[attribute], value));
  }

  #arguments(): string[] {
    this.#expect('(');
    const found = [this.#next()];
    while (this.#is(',')) found.push(this.#next());
    this.#expect(')');
    return found;
  }

  #value(name: string): AttributeValue {
    const value = this.#values[name];
    if (!value) throw new ExpressionError(`Invalid expression: value ${name} is not defined`);
    return value;
  }

  #is(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #expect(token: string): void {
    if (!this.#is(token)) throw new ExpressionError(`Invalid expression: "${token}" is missing`);
  }

  #next(): string {
    const token = this.#tokens.shift();
    if (token === undefined) throw new ExpressionError('Invalid expression: it ends too early');
    return token;
  }
}

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const textOf = (value: AttributeValue): string => ('S' in value ? value.S : value.N);

/** Values of different types are neither equal nor in any order. */
function compare(left: AttributeValue, right: AttributeValue): number {
  if ('N' in left && 'N' in right) return Number(left.N) - Number(right.N);
  if ('S' in left && 'S' in right) return compareKeys(left.S, right.S);
  return Number.NaN;
}

/** By bytes of UTF-8, as DynamoDB orders. */
export const compareKeys = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));
