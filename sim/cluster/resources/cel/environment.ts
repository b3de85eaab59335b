/** CEL as rules of CRDs have it: the language, and those of Kubernetes' own functions that the library lacks. */
import { Environment, EvaluationError } from '@marcbachmann/cel-js';
import { spend } from './cost.ts';

/** A rule that the simulator can't judge. It is not held then, rather than refusing everything. */
export class Unreadable extends Error {}

export const celEnvironment = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerFunction('string.matchesWithin(string): bool', (text: string, pattern: string) => {
    spend(text);
    return regular(pattern).test(text);
  })
  .registerFunction('string.find(string): string', (text: string, pattern: string) => {
    spend(text);
    return regular(pattern).exec(text)?.[0] ?? '';
  })
  .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => {
    spend(text);
    return [...text.matchAll(regular(pattern, 'g'))].map(([found]) => found);
  })
  .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => {
    return text.replaceAll(from, () => to);
  })
  .registerFunction('list<dyn>.isSorted(): bool', (items: Comparable[]) => {
    return items.every((item, index) => index === 0 || (items[index - 1] as Comparable) <= item);
  })
  .registerFunction('list<dyn>.min(): dyn', (items: Comparable[]) => extreme(items, 'min', (a, b) => b < a))
  .registerFunction('list<dyn>.max(): dyn', (items: Comparable[]) => extreme(items, 'max', (a, b) => b > a))
  .registerFunction('list<dyn>.indexOf(dyn): int', (items: unknown[], item: unknown) => BigInt(items.indexOf(item)))
  .registerFunction('list<dyn>.lastIndexOf(dyn): int', (items: unknown[], item: unknown) => {
    return BigInt(items.lastIndexOf(item));
  });

/** The library's own `matches` can't be replaced, and would search a text of any length. What is in quotes stays. */
export const withBoundedMatches = (rule: string): string =>
  rule.replace(
    /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\.matches\(/gsu,
    (_all, quoted?: string) => quoted ?? '.matchesWithin(',
  );

type Comparable = string | number | bigint;

function extreme(items: Comparable[], name: string, isBeyond: (a: Comparable, b: Comparable) => boolean): Comparable {
  if (items.length === 0) throw new EvaluationError(`${name} called on empty list`);
  return items.reduce((a, b) => (isBeyond(a, b) ? b : a));
}

/** Patterns are RE2 in a real server. What JavaScript reads differently is not read at all: `u` refuses most of it. */
export function regular(pattern: string, flags = ''): RegExp {
  if (hasNestedRepetition(pattern)) throw new Unreadable(`the pattern ${pattern}`);
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    throw new Unreadable(`the pattern ${pattern}`);
  }
}

/** RE2 takes linear time; JavaScript takes a time that doubles with each letter if something repeated is repeated. */
function hasNestedRepetition(pattern: string): boolean {
  const plain = pattern.replace(/\\./gsu, 'x').replace(/\[[^\]]*\]/gu, 'x');
  /** For each open group: whether something in it repeats. */
  const open: boolean[] = [];
  for (let at = 0; at < plain.length; at += 1) {
    const repeats = /^[*+]|^\{\d*,/u.test(plain.slice(at, at + 8));
    if (repeats && open.length > 0) open[open.length - 1] = true;
    if (plain[at] === '(') open.push(false);
    if (plain[at] !== ')') continue;
    const inner = open.pop() ?? false;
    if (inner && /^[*+{]/u.test(plain.slice(at + 1))) return true;
    if (inner && open.length > 0) open[open.length - 1] = true;
  }
  return false;
}
