/** Rules and objects written to keep the simulator busy: each may take 50 milliseconds of processor time. */
import { expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { compileRule } from './rules.ts';

const mostMs = 50;
const megabyte = 1_000_000;
const numbers = (count: number): Json => Array.from({ length: count }, (_, index) => index);

let made = 0;
/** A rule is compiled once, so each try needs another text. */
const judge = (rule: string, value: Json = null) => {
  made += 1;
  return compileRule(`${rule}${' '.repeat(made)}`)?.(value, undefined);
};

const cases: [string, () => unknown][] = [
  ['a rule of a megabyte', () => judge(`${'self == "a" || '.repeat(megabyte / 15)}true`)],
  ['the longest rule', () => judge(`${'self == "a" || '.repeat(300)}true`, 'b')],
  ['a rule with half a million brackets', () => judge(`${'('.repeat(megabyte / 2)}true${')'.repeat(megabyte / 2)}`)],
  ['a rule with brackets in brackets', () => judge(`${'('.repeat(2000)}true${')'.repeat(2000)}`)],
  ['a rule that negates for ever', () => judge(`${'!'.repeat(4000)}true`)],
  ['a loop in a loop', () => judge('self.all(a, self.all(b, a <= b || b <= a))', numbers(20_000))],
  ['a loop in a loop, as long as is allowed', () => judge('self.all(a, self.all(b, a <= b || b <= a))', numbers(173))],
  ['five loops', () => judge('self.all(a, self.all(b, self.all(c, self.all(d, self.all(e, e >= 0)))))', numbers(50))],
  ['a pattern that repeats what is repeated', () => judge('self.matches("^(a+)+$")', `${'a'.repeat(40)}b`)],
  ['the same in find', () => judge('self.find("^(a|(a*b?))*$") == ""', `${'a'.repeat(40)}c`)],
  [
    'a pattern from the object',
    () => judge('self.text.matches(self.pattern)', { text: 'a'.repeat(40), pattern: '(a+)+b' }),
  ],
  ['a pattern on a megabyte', () => judge('self.matches("a+b")', 'a'.repeat(megabyte))],
  ['a pattern on as much as is allowed', () => judge('self.matches("a+b")', 'a'.repeat(2048))],
  [
    'a pattern on very many texts',
    () =>
      judge(
        'self.all(a, a.matches("a+b"))',
        Array.from({ length: 20_000 }, () => 'a'.repeat(50)),
      ),
  ],
];

it.each(cases)('%s', (_name, work) => {
  const tries = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  // Other threads of this process take part in what is measured: the best of five is the work itself.
  expect(Math.min(...tries)).toBeLessThan(mostMs);
});

it('an object for which a rule would take too long is refused, as a real server does', () => {
  expect(judge('self.all(a, self.all(b, a <= b || b <= a))', numbers(20_000))).toEqual({
    error: 'validation failed due to running out of cost budget',
  });
  expect(judge('self.all(a, a >= 0)', numbers(20_000))).toBeUndefined();
});

it('a long text does no harm to a rule that searches another one', () => {
  const rule = 'self.names.all(name, name.matches("^[a-z.(]+$"))';
  expect(judge(rule, { names: ['a.matches('], script: 'x'.repeat(megabyte) })).toBeUndefined();
  expect(judge(rule, { names: ['x'.repeat(3000)] })).toEqual({
    error: 'validation failed due to running out of cost budget',
  });
  expect(judge('self == ".matches("', '.matches(')).toBeUndefined();
});
