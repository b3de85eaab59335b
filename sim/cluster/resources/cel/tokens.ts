/** Tokens of CEL, as far as the simulator reads it. */

export type Token =
  | { kind: 'name' | 'operator'; text: string }
  | { kind: 'string'; text: string }
  | { kind: 'number'; value: number }
  | { kind: 'end' };

/** A rule that the simulator can't read. It is not held then, rather than refusing everything. */
export class Unreadable extends Error {}

const pattern =
  /\s*(?:(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<raw>r)?(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<operator>\|\||&&|[=!<>]=|[!<>?:.,()[\]+-]))/uy;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const at = pattern.lastIndex;
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) throw new Unreadable(`${text} at ${at}`);
    const { name, number, string, operator } = groups;
    if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (number !== undefined) tokens.push({ kind: 'number', value: Number(number) });
    else if (string !== undefined) tokens.push({ kind: 'string', text: unescaped(string.slice(1, -1)) });
    else tokens.push({ kind: 'operator', text: operator ?? '' });
  }
  return [...tokens, { kind: 'end' }];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const unescaped = (text: string): string => text.replace(/\\(.)/gu, (_, one: string) => escapes[one] ?? one);
