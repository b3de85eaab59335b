import { expect, test } from 'vitest';
import { describeProblems, quoteInput } from './problems.ts';
import { cutText } from './text.ts';

test('problems stand in one line, each with its place', () => {
  const problems = [
    { path: 'spec.a', message: 'is wrong' },
    { path: '', message: 'is nested too deep' },
  ];
  expect(describeProblems(problems)).toBe('spec.a: is wrong; is nested too deep');
});

test.each([
  ['a\nb', '"a\\nb"'],
  [undefined, 'undefined'],
  ['x'.repeat(100), `"${'x'.repeat(79)}…`],
])('input %j is quoted on one line and cut', (input, quoted) => {
  expect(quoteInput(input)).toBe(quoted);
});

test('quoting never throws and never cuts through a character', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  expect(quoteInput(loop)).toBe('[object Object]');
  expect(quoteInput(10n)).toBe('10');
  expect(quoteInput('😀'.repeat(60)).isWellFormed()).toBe(true);
});

test.each([
  ['abc', 0, ''],
  ['abcd', 3, 'ab…'],
  ['ab😀cd', 4, 'ab…'],
  ['ab😀cd', 5, 'ab😀…'],
  ['ab😀cd', 6, 'ab😀cd'],
])('%s cut to %s is %j', (text, limit, expected) => {
  expect(cutText(text, limit)).toBe(expected);
});
