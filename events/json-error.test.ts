import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorPosition } from './json-error.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonErrorPosition', () => {
  it.each([
    ['abc', 0],
    ['', 0],
    ['  ', 2],
    ['{"a":}', 5],
    ['{"a":1,,}', 7],
    ['{"a":1,}', 7],
    ['["a" "b"]', 5],
    ['[1,]', 3],
    ['{"a":1', 6],
    ['{"a":1}x', 7],
    ['[1] [2]', 4],
    ['{"a":[1}', 7],
    ['{"a" 1}', 5],
    ['01', 0],
    ['"ab', 0],
    ['"a\nb"', 0],
    ['{"a":truex}', 5],
    ['\u00a01', 0],
  ])('points at the mistake in %j', (text, position) => {
    expect(jsonErrorPosition(text)).toBe(position);
  });

  it('agrees with JSON.parse about what is JSON', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9\\n"',
      '"\\x"',
      '"\u007f\u0085"',
      '"\t"',
      '1',
      '-0.5e+3',
      '00',
      '1.',
      'true',
      'nul',
      ' ',
      '\n',
      '\u00a0',
      '"\ud800"',
      '"😀"',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces, { maxLength: 9 }).map((all) => all.join('')),
          fc.json(),
          fc.string(),
        ),
        (text) => {
          expect(jsonErrorPosition(text) === undefined).toBe(isJson(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('names the end of a truncated document', () => {
    const whole = '{"a":[1,{"b":null}],"c":true}';
    for (const end of [1, 5, 6, 8, 9, 18, 19, 28]) expect(jsonErrorPosition(whole.slice(0, end))).toBe(end);
  });

  it('takes a long string and deep nesting in its stride', () => {
    expect(jsonErrorPosition(`"${'\\"a'.repeat(20_000)}`)).toBe(0);
    expect(jsonErrorPosition('['.repeat(60_000))).toBe(60_000);
  });
});
