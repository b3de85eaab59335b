import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readToml } from './toml-read.ts';
import { mergeTables, TomlRaw, type TomlTable, type TomlValue } from './toml-values.ts';
import { writeToml } from './toml-write.ts';

const read = (text: string): TomlTable => {
  const result = readToml(text);
  if (!result.ok) expect.fail(`line ${result.line}: ${result.message}`);
  return result.value;
};
const raw = (text: string) => new TomlRaw(text);
const table = (fields: Record<string, TomlValue>): TomlTable => new Map(Object.entries(fields));

describe('reading TOML', () => {
  test.each<[string, TomlTable]>([
    ['a = 1 # why\n', table({ a: raw('1') })],
    ['a.b = true\na.c = false', table({ a: table({ b: true, c: false }) })],
    ['[a]\nb = "x"\n[a.c]\nd = 1.5e3', table({ a: table({ b: 'x', c: table({ d: raw('1.5e3') }) }) })],
    ['[a."b.c"]\n"d e" = \'f\\g\'', table({ a: table({ 'b.c': table({ 'd e': 'f\\g' }) }) })],
    ['a = [1, "b", # c\n  [true],\n]', table({ a: [raw('1'), 'b', [true]] })],
    ['a = { b = 1, c.d = "e" }', table({ a: table({ b: raw('1'), c: table({ d: 'e' }) }) })],
    ['a = """\nb\\\n   c"d"""', table({ a: 'bc"d' })],
    ["a = '''\nb\\n'''", table({ a: 'b\\n' })],
    ['a = "\\u00e9\\t\\"\\U0001F600"', table({ a: 'é\t"😀' })],
    ['[[a]]\nb = 1\n[[a]]\nb = 2', table({ a: [table({ b: raw('1') }), table({ b: raw('2') })] })],
    ['at = 1979-05-27T07:32:00Z\nday = 1979-05-27', table({ at: raw('1979-05-27T07:32:00Z'), day: raw('1979-05-27') })],
    ['a = 1979-05-27 07:32:00', table({ a: raw('1979-05-27 07:32:00') })],
    ['\r\n a = 1\r\n', table({ a: raw('1') })],
    ['', table({})],
  ])('%j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each<[string, number, string]>([
    ['a = ', 1, 'a value'],
    ['a 1', 1, '"="'],
    ['a = 1 b = 2', 1, 'the end of the line'],
    ['\na = "x\n', 2, 'does not end'],
    ['a = 1\na = 2', 2, 'a is defined twice'],
    ['[a]\n[a]', 2, 'the table [a] is defined twice'],
    ['a = 1\n[a]', 2, 'is not a table'],
    ['a = [1]\n[[a]]', 2, 'is not an array of tables'],
    ['a = { b = 1 }\n[a.c]', 2, 'is not a table'],
    ['a = "\\x"', 1, 'an escape'],
    ['a = """x', 1, 'ends in the middle'],
    [`${'a.'.repeat(100)}a = 1`, 1, 'a key has more than 100 parts'],
    [`a = ${'['.repeat(200)}`, 1, 'nested'],
  ])('%j is told with its line', (text, line, expected) => {
    const result = readToml(text);
    if (result.ok) expect.fail('it should have been refused');
    expect(result.message).toContain(expected);
    expect(result.line).toBeGreaterThanOrEqual(line);
  });

  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'[]{}=.,"\'#\\\n ab1') })), (text) => {
        readToml(text);
      }),
    );
  });
});

const values = fc.letrec<{ value: TomlValue; table: TomlTable }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.integer().map((one) => raw(String(one))),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('table'),
  ),
  table: fc
    .array(fc.tuple(fc.string({ unit: 'binary' }), tie('value')), { maxLength: 4 })
    .map((entries) => new Map(entries)),
})).table;

/** Lone halves of characters have no UTF-8, and so no TOML. */
const isText = (value: unknown): boolean =>
  JSON.stringify(plain(value)).isWellFormed() && !/\\ud[89ab]/.test(JSON.stringify(plain(value)));
const plain = (value: unknown): unknown =>
  value instanceof Map ? [...value].map(plain) : Array.isArray(value) ? value.map(plain) : value;

describe('writing TOML', () => {
  test('gives back what was read, whatever it is', () => {
    fc.assert(
      fc.property(values.filter(isText), (one) => {
        expect(sorted(read(writeToml(one)))).toEqual(sorted(one));
      }),
    );
  });

  test('gives the same bytes for the same content in any order', () => {
    fc.assert(
      fc.property(values.filter(isText), (one) => {
        expect(writeToml(new Map([...one].reverse()))).toBe(writeToml(one));
      }),
    );
  });
});

const sorted = (value: TomlValue): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  return [...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]);
};

describe('merging TOML', () => {
  test('ours wins field by field, and all else stays', () => {
    const merged = mergeTables(read('[a]\nx = 1\ny = 2\n[b]\nz = 3'), read('[a]\ny = 9\n[a.c]\nd = 1'));
    expect(merged).toEqual(read('[a]\nx = 1\ny = 9\n[a.c]\nd = 1\n[b]\nz = 3'));
  });
});
