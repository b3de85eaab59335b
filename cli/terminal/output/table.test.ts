import { expect, test } from 'vitest';
import { plainTerminal } from '../terminal.ts';
import { rowPrinter } from './row-printer.ts';
import { type Column, table } from './table.ts';

interface Row {
  name: string;
  why: string;
}

const columns: Column<Row>[] = [
  { title: 'NAME', text: ({ name }) => name, style: () => 'green' },
  { title: 'WHY', text: ({ why }) => why },
];

function listener() {
  const said = { out: '', err: '' };
  const terminal = plainTerminal({
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { said, terminal };
}

test('columns line up, and an empty cell is a dash', () => {
  const rows = [
    { name: 'a', why: 'sold out' },
    { name: 'longer', why: '' },
  ];
  expect(table(columns, rows)).toBe('NAME     WHY\na        sold out\nlonger   -\n');
});

test('what could move the cursor is shown, not obeyed', () => {
  expect(table(columns, [{ name: 'a', why: 'x\u001b[2Jy\nz\u0007' }], { color: true })).not.toMatch(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
    /\u001b\[2J|\u0007|\nz/,
  );
});

test('a line is cut where the terminal ends, if enough of the reason stays', () => {
  const text = table(columns, [{ name: 'a', why: 'x'.repeat(200) }], { columns: 60 });
  expect(text.split('\n')[1]).toBe(`a      ${'x'.repeat(52)}…`);
});

test('on a terminal too narrow for the reason a row takes another line', () => {
  const text = table(columns, [{ name: 'n'.repeat(50), why: 'y'.repeat(200) }], { columns: 60 });
  expect(text.split('\n')[1]).toBe(`${'n'.repeat(50)}   ${'y'.repeat(66)}…`);
});

test('the titles of rows that take another line are all there, above them', () => {
  const [title = '', row = ''] = table(columns, [{ name: 'n'.repeat(70), why: 'y' }], { columns: 60 }).split('\n');
  expect(title.indexOf('WHY')).toBe(row.indexOf('y'));
});

test('a line that is cut has no half of a color in it', () => {
  const [, line = ''] = table(columns, [{ name: 'n', why: 'y'.repeat(200) }], { columns: 60, color: true }).split('\n');
  expect(line).toBe(`n      ${'y'.repeat(52)}…`);
});

test('rows that come later keep to the columns, which only grow', () => {
  const { said, terminal } = listener();
  const listing = { columns, name: ({ name }: Row) => name, data: (row: Row) => ({ ...row }), empty: 'None.' };
  const printer = rowPrinter(listing, 'table', terminal);

  printer.start([{ name: 'one', why: '' }]);
  printer.print({ name: 'longer', why: 'x' });
  printer.print({ name: 'two', why: 'y' });

  expect(said.out).toBe('NAME   WHY\none    -\nlonger   x\ntwo      y\n');
});

test.each<['json' | 'yaml' | 'name', string]>([
  ['json', '{"name":"one","why":""}\n{"name":"two","why":"y"}\n'],
  ['yaml', '--- {"name":"one","why":""}\n--- {"name":"two","why":"y"}\n'],
  ['name', 'one\ntwo\n'],
])('a watch as %s is a stream that a program can read', (format, expected) => {
  const { said, terminal } = listener();
  const listing = { columns, name: ({ name }: Row) => name, data: (row: Row) => ({ ...row }), empty: 'None.' };
  const printer = rowPrinter(listing, format, terminal);

  printer.start([{ name: 'one', why: '' }]);
  printer.print({ name: 'two', why: 'y' });

  expect(said.out).toBe(expected);
});

test('a watch of nothing says so where no script reads it', () => {
  const { said, terminal } = listener();
  rowPrinter({ columns, name: () => '', data: () => null, empty: 'No rows.' }, 'table', terminal).start([]);
  expect(said).toEqual({ out: '', err: 'No rows.\n' });
});
