import { describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { compileRule } from './rules.ts';

const holds = (rule: string, self: Json, old?: Json): boolean => {
  const compiled = compileRule(rule);
  if (compiled === undefined) throw new Error(`can't be read: ${rule}`);
  return compiled(self, old) === undefined;
};

describe('rules in CEL', () => {
  it.each<[string, Json, boolean]>([
    ['self == "a"', 'a', true],
    ["self != 'it\\'s'", "it's", false],
    ['self in ["a", "b"]', 'c', false],
    ['"a" in self', { a: 1 }, true],
    ['!has(self.b) || self.b > 3', { a: 1 }, true],
    ['has(self.a) == has(self.b)', { a: 1 }, false],
    ['self.a.size() == 2 && size(self.a) == 2', { a: ['x', 'y'] }, true],
    ['self.all(x, x.n >= 1)', [{ n: 1 }, { n: 0 }], false],
    ['self.all(key, key.startsWith("a"))', { ab: 1, ac: 2 }, true],
    ['self.exists(x, x == 2)', [1, 2], true],
    ['self.exists(x, x == 2)', [], false],
    ['self.split("/")[0].endsWith("karpenter.sh")', 'x.karpenter.sh/a', true],
    ['self.find("^([^/]+)").endsWith("karpenter.sh")', 'karpenter.sh.example.com/a', false],
    ['self.matches("^[0-9]+$") ? int(self) > 4 : true', '5', true],
    ['self.matches("^[0-9]+$") ? int(self) > 4 : true', 'x', true],
    ['int(self) + 1 - 2 == -1', '0', true],
    ['1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3', null, true],
    ['self == null || (true && !false)', null, true],
    ['"a" + "b" == self', 'ab', true],
    ['"lo" < "no" && self.contains("ell")', 'hello', true],
  ])('%s of %j is %s', (rule, self, expected) => {
    expect(holds(rule, self)).toBe(expected);
  });

  it('about a change do not apply to what is new', () => {
    expect(holds('self == oldSelf', { a: 1 })).toBe(true);
    expect(holds('self == oldSelf', { a: 1 }, { a: 1 })).toBe(true);
    expect(holds('self == oldSelf', { a: 1 }, { a: 2 })).toBe(false);
  });

  it('that can not be evaluated do not hold, and say why', () => {
    expect(compileRule('int(self) >= 0')?.('four', undefined)).toEqual({
      error: expect.stringContaining('conversion'),
    });
    expect(compileRule('int(self) >= 0')?.('9223372036854775808', undefined)).toBeDefined();
    expect(compileRule('self.values.size() > 0')?.({}, undefined)).toEqual({ error: 'no such key: values' });
    expect(compileRule('self && true')?.('text', undefined)).toBeDefined();
    expect(compileRule('self.__proto__ == 1')?.({}, undefined)).toBeDefined();
  });

  it('are decided by one side, whatever is wrong with the other', () => {
    expect(holds('self.a == 1 || true', {})).toBe(true);
    expect(holds('true || self.a == 1', {})).toBe(true);
    expect(holds('self.a == 1 && false', {})).toBe(false);
    expect(holds('self.all(x, x.a > 1)', [{}, { a: 0 }])).toBe(false);
  });

  it.each(['self.map(x, x)', 'self ~ 1', 'self.', '(self', 'self == "a', 'quantity(self)', ''])(
    'that go beyond what is understood are not held: %s',
    (rule) => {
      expect(compileRule(rule)?.('x', undefined)).toBeUndefined();
    },
  );
});
