/** One picture of `top`: exactly as many lines as the terminal has, none longer than it is wide. Pure. */
import { styleText } from 'node:util';
import type { ClaimRow } from '../../terminal/claim-row/claim-row.ts';
import { table } from '../../terminal/output/table.ts';
import { cut, printable } from '../../terminal/text-table.ts';
import { topColumns } from './rows.ts';
import type { View } from './view.ts';
import { within } from './view.ts';

export interface Picture {
  title: string;
  summary: readonly string[];
  /** In the order that the view asks for; only those that its filter lets through. */
  rows: readonly ClaimRow[];
  view: View;
  /** What is wrong at the moment. */
  trouble: string | undefined;
  now: number;
  color: boolean;
}

export interface Size {
  columns: number;
  lines: number;
}

/** Below so many lines the rows matter more than the whole head, or than any head. */
const leastForHead = 15;
const leastForSome = 8;
/** Claims and costs. */
const most = [1, 2] as const;

function headOf({ title, summary }: Pick<Picture, 'title' | 'summary'>, { lines }: Size): string[] {
  if (lines < leastForSome) return [];
  if (lines < leastForHead) return most.flatMap((index) => summary[index] ?? []);
  return [title, ...summary, ''];
}

/** How many rows there is room for: all but the head, the titles of the columns, and the foot. */
export const pageOf = (size: Size, summary: readonly string[]): number =>
  Math.max(1, size.lines - headOf({ title: '', summary }, size).length - 2);

export function frame(picture: Picture, size: Size): string[] {
  const { summary, view, title } = picture;
  const head = headOf(picture, size).map((line) => (line === title ? strong(picture, line, size) : plain(line, size)));
  const page = pageOf(size, summary);
  const body = view.isHelp ? helpLines(size) : rowLines(picture, size, page);
  const filled = [...head, ...body.slice(0, page + 1)];
  while (filled.length < size.lines - 1) filled.push('');
  return [...filled.slice(0, Math.max(0, size.lines - 1)), foot(picture, size, page)].slice(0, size.lines);
}

function rowLines(picture: Picture, size: Size, page: number): string[] {
  const { rows, view, now, color } = picture;
  const offset = within(view.offset, page, rows.length);
  const shown = rows.slice(offset, offset + page);
  if (shown.length === 0) return [plain(view.filter === '' ? 'No claims.' : 'No claims match the filter.', size)];
  const columns = fitting(
    topColumns(() => now),
    shown,
    size.columns,
  );
  // Cut by us, not by the table, which would rather take a second line.
  return table(columns, shown, { color: false })
    .split('\n')
    .slice(0, -1)
    .map((line, index) => painted(cut(line, size.columns), shown[index - 1], columns, color));
}

type Columns = ReturnType<typeof topColumns>;

/** On a narrow terminal some columns give way, so that the reason can still be seen. */
function fitting(columns: Columns, rows: readonly ClaimRow[], most: number): Columns {
  const spare = ['PROGRESS', 'TYPE', 'PRICE', 'SINCE'];
  let shown = columns;
  for (const title of spare) {
    const widths = shown
      .slice(0, -1)
      .map((column) => rows.reduce((w, row) => Math.max(w, column.text(row).length), column.title.length));
    if (widths.reduce((sum, width) => sum + width + 3, 0) + 20 <= most) break;
    shown = shown.filter((column) => column.title !== title);
  }
  return shown;
}

/** The stage is colored where it stands. */
function painted(line: string, row: ClaimRow | undefined, columns: Columns, color: boolean): string {
  if (!color) return line;
  if (row === undefined) return styleText('dim', line, { validateStream: false });
  const style = columns.find(({ title }) => title === 'STAGE')?.style?.(row);
  const at = line.indexOf(`   ${row.stage}`);
  if (style === undefined || at < 0) return line;
  const from = at + 3;
  const end = from + row.stage.length;
  return line.slice(0, from) + styleText(style, line.slice(from, end), { validateStream: false }) + line.slice(end);
}

function foot(picture: Picture, size: Size, page: number): string {
  const { view, rows, trouble } = picture;
  if (view.isTyping) return plain(`/${view.filter}_`, size);
  if (trouble !== undefined) return plain(`The watch was interrupted: ${trouble}. Retrying.`, size);
  const offset = within(view.offset, page, rows.length);
  const last = Math.min(rows.length, offset + page);
  const where = rows.length === 0 ? '0 of 0' : `${offset + 1}-${last} of ${rows.length}`;
  const filter = view.filter === '' ? '' : `   filter ${view.filter}`;
  return plain(`${where}   by ${view.sort}${filter}   q quit  s sort  / filter  ? help`, size);
}

const helpLines = (size: Size): string[] =>
  [
    'q         end',
    's         sort by stage, age, price or name',
    '/         filter by any text in a row; Enter keeps it, Esc clears it',
    'arrows    scroll; also j and k, Page Up, Page Down, Home and End',
    '?         this help, or back',
    '',
    'PROGRESS  [=---] instance requested  [==--] booting  [===-] node joined  [====] ready',
    '          [x---] unavailable now  [x<<<] deletion stuck  [==<<] draining  [<<<<] being deleted',
  ].map((line) => plain(line, size));

const plain = (line: string, { columns }: Size): string => cut(printable(line), columns);

const strong = ({ color }: Picture, line: string, size: Size): string =>
  color ? styleText('bold', plain(line, size), { validateStream: false }) : plain(line, size);
