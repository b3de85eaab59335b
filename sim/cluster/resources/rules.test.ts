import { describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { compileRule } from './rules.ts';
import type { Schema } from './schema.ts';

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
    ['self.filter(x, x.root).size() <= 1', [{ root: true }, { root: true }], false],
    ['self.map(x, x.n).max() - self.map(x, x.n).min() < 3', [{ n: 1 }, { n: 3 }], true],
    ['self.isSorted() && self.indexOf("b") == 1 && self.lastIndexOf("c") == -1', ['a', 'b'], true],
    ['self.findAll("[0-9]+").size() == 2 && self.replace("-", "") == "1a2"', '1-a-2', true],
    ['self.?a.orValue("x") == "x" && self.exists_one(k, k == "b")', { b: 1 }, true],
    ['self.n % 2 == 0 && self.n * 3 / 2 == 6', { n: 4 }, true],
    ['type(self) == string && duration(self) > duration("1h")', '2h', true],
  ])('%s of %j is %s', (rule, self, expected) => {
    expect(holds(rule, self)).toBe(expected);
  });

  it('see fields as their schema has them', () => {
    const judged = (rule: string, schema: Schema, self: Json) => compileRule(rule)?.(self, undefined, schema);
    const share: Schema = { type: 'object', properties: { share: { type: 'number' } } };
    expect(judged('self.share * 1.5 == 3.0', share, { share: 2 })).toBeUndefined();
    const count: Schema = { type: 'object', properties: { count: { type: 'integer' } } };
    expect(judged('self.count + 1 == 3', count, { count: 2 })).toBeUndefined();
    const times: Schema = {
      type: 'object',
      properties: { after: { type: 'string', format: 'duration' }, at: { type: 'string', format: 'date-time' } },
    };
    const rule = 'self.after > duration("1h") && self.at.getFullYear() == 2026';
    expect(judged(rule, times, { after: '2h', at: '2026-01-01T00:00:00Z' })).toBeUndefined();
    expect(judged(rule, times, { after: '1m', at: '2026-01-01T00:00:00Z' })).toEqual({});
  });

  it('name fields that are no names in CEL as Kubernetes escapes them', () => {
    const text: Schema = { type: 'string' };
    const schema: Schema = { type: 'object', properties: { 'a-b.c': text, namespace: text } };
    const rule = compileRule('self.a__dash__b__dot__c == self.__namespace__');
    expect(rule?.({ 'a-b.c': 'x', namespace: 'x' }, undefined, schema)).toBeUndefined();
    expect(rule?.({ 'a-b.c': 'x', namespace: 'y' }, undefined, schema)).toEqual({});
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
    expect(compileRule('self && true')?.('text', undefined)).toEqual({ error: 'no such overload' });
    expect(compileRule('self.min() > 0')?.([], undefined)).toEqual({ error: 'min called on empty list' });
    expect(compileRule('self.__proto__ == 1')?.({}, undefined)).toBeDefined();
  });

  it('are decided by one side, whatever is wrong with the other', () => {
    expect(holds('self.a == 1 || true', {})).toBe(true);
    expect(holds('true || self.a == 1', {})).toBe(true);
    expect(holds('self.a == 1 && false', {})).toBe(false);
    expect(holds('self.all(x, x.a > 1)', [{}, { a: 0 }])).toBe(false);
  });

  it.each([
    'self.map(x, x)',
    'self ~ 1',
    'self.',
    '(self',
    'self == "a',
    'quantity(self)',
    '',
    'self.matches("[[:alpha:]]+")',
    'self.find("\\\\z") == "y"',
  ])('that go beyond what is understood are not held: %s', (rule) => {
    expect(compileRule(rule)?.('x', undefined)).toBeUndefined();
  });
});
