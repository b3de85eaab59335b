/**
 * Reads Bicep as far as our tests need it: which parameters, modules, resources and outputs a file has. There is no compiler
 * to be had where the tests run, so what can be checked without one is checked by our own.
 */
import { readFileSync } from 'node:fs';

export interface BicepModule {
  name: string;
  path: string;
  /** The names of the parameters that it is given. */
  given: string[];
}

export interface BicepSource {
  text: string;
  /** Without comments, and with every string emptied: only names and brackets are left. */
  bare: string;
  params: { name: string; required: boolean }[];
  modules: BicepModule[];
  /** `Microsoft.X/y@2024-01-01` */
  resources: string[];
  outputs: { name: string; value: string }[];
}

export function readBicep(file: string): BicepSource {
  const text = readFileSync(file, 'utf8');
  const code = withoutComments(text);
  const bare = withoutStrings(code);
  return {
    text,
    bare,
    params: [...code.matchAll(/^param (\w+)[^\n=]*(=)?/gm)].map(([, name = '', value]) => ({
      name,
      required: value === undefined,
    })),
    modules: [...code.matchAll(/^module (\w+) '([^']+)' = /gm)].map((match) => ({
      name: match[1] ?? '',
      path: match[2] ?? '',
      given: keysOf(blockAfter(blockAfter(code, match.index), -1, 'params:')),
    })),
    resources: [...code.matchAll(/^resource \w+ '([^']+)'/gm)].map(([, type = '']) => type),
    outputs: [...code.matchAll(/^output (\w+) \w+ = (.+)$/gm)].map(([, name = '', value = '']) => ({ name, value })),
  };
}

/** What is wrong with the brackets; undefined when each is closed by its own kind. */
export function unbalanced(bare: string): string | undefined {
  const closes: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
  const open: { bracket: string; line: number }[] = [];
  for (const [index, line] of bare.split('\n').entries()) {
    for (const bracket of line.match(/[()[\]{}]/g) ?? []) {
      const opener = closes[bracket];
      if (opener === undefined) open.push({ bracket, line: index + 1 });
      else if (open.pop()?.bracket !== opener) return `line ${index + 1}: ${bracket} closes nothing`;
    }
  }
  const left = open.at(-1);
  return left && `line ${left.line}: ${left.bracket} is never closed`;
}

/** A comment may stand within a string, such as the slashes of a URL. */
function withoutComments(text: string): string {
  return text.replace(/'(?:\\.|[^'\\\n])*'|\/\/[^\n]*/g, (found) => (found.startsWith('//') ? '' : found));
}

/** What `${…}` holds stays: names are used there too. */
function withoutStrings(code: string): string {
  return code.replace(/'(?:\\.|[^'\\\n])*'/g, (found) => {
    const holes = [...found.matchAll(/\$\{([^}]*)\}/g)].map(([, inside]) => inside);
    return holes.length === 0 ? "''" : `(${holes.join(', ')})`;
  });
}

/** The text between the braces that open next, behind a position or a word. */
function blockAfter(code: string, position: number, word = ''): string {
  const from = word === '' ? position : code.indexOf(word);
  if (from < 0) return '';
  const start = code.indexOf('{', from);
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return code.slice(start + 1, at);
  }
  return '';
}

/** The keys of the outermost level. */
function keysOf(block: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const line of block.split('\n')) {
    const key = /^\s*(\w+):/.exec(line)?.[1];
    if (key !== undefined && depth === 0) keys.push(key);
    depth += (line.match(/[{([]/g)?.length ?? 0) - (line.match(/[})\]]/g)?.length ?? 0);
  }
  return keys;
}
