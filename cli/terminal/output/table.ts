/** Tables as kubectl prints them: columns that line up, no borders, and nothing from outside that could move the cursor. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { printable } from '../text-table.ts';

export type Style = Parameters<typeof styleText>[0];

export interface Column<Row> {
  /** In capitals, as kubectl has them. */
  title: string;
  text(row: Row): string;
  /** Only with `-o wide`. */
  wide?: boolean;
  /** On a terminal that is too narrow for all columns, those with the smallest number are left out first. */
  spare?: number;
  /** A color where there are colors; the text alone must say it all. */
  style?(row: Row): Style | undefined;
}

const gap = '   ';
/** The last column is the reason why: so much of it must be there to be read, even if a row then takes two lines. */
const leastOfLast = 40;

/** Widths that many rows share: what comes later, as in a watch, keeps to them. */
export function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return widest(columns, cellsOf(columns, rows));
}

/** So much of the last column is worth leaving out another one. */
const enoughOfLast = 20;

/** The columns that a terminal of this width has room for. */
export function fittingColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): readonly Column<Row>[] {
  if (width === undefined || !columns.some(({ spare }) => spare !== undefined)) return columns;
  const widths = new Map(widthsOf(columns, rows).map((one, index) => [columns[index], one]));
  const needed = (shown: readonly Column<Row>[]): number =>
    shown.slice(0, -1).reduce((sum, column) => sum + (widths.get(column) ?? 0) + gap.length, 0) +
    Math.min(enoughOfLast, widths.get(shown[shown.length - 1] as Column<Row>) ?? 0);
  let shown = columns;
  const order = columns.filter(({ spare }) => spare !== undefined).toSorted((a, b) => (a.spare ?? 0) - (b.spare ?? 0));
  for (const column of order) {
    if (needed(shown) <= width) break;
    shown = shown.filter((one) => one !== column);
  }
  return shown;
}

export interface TableOptions {
  widths?: readonly number[];
  color?: boolean;
  /** How wide the terminal is: longer lines are cut. */
  columns?: number | undefined;
  /** Without it, only the rows: a watch has said the titles before. */
  header?: boolean;
}

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options: TableOptions = {}): string {
  const cells = cellsOf(columns, rows);
  const { widths = widest(columns, cells), color = false, header = true } = options;
  const last = columns.length - 1;
  const hasSpare = columns.some(({ spare }) => spare !== undefined);
  const most =
    options.columns === undefined
      ? undefined
      : longestLine(widths.slice(0, last), options.columns, hasSpare ? enoughOfLast : leastOfLast, widths[last] ?? 0);
  const lines: string[] = [];
  if (header) {
    const titles = columns.map(({ title }, index) => (index === last ? title : title.padEnd(widths[index] ?? 0)));
    // Broken where the rows are, or the titles would not stand over them.
    lines.push(fitted(titles.join(gap), most));
  }
  for (const [at, texts] of cells.entries()) {
    const row = rows[at] as Row;
    const padded = texts.map((text, index) => {
      const filled = index === last ? text : text.padEnd(widths[index] ?? 0);
      const style = color ? columns[index]?.style?.(row) : undefined;
      return style === undefined ? filled : styleText(style, filled, { validateStream: false });
    });
    lines.push(fitted(padded.join(gap), most));
  }
  return [...lines, ''].join('\n');
}

/** Each text is made once: of ten thousand rows that is most of the work. */
const cellsOf = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[][] =>
  rows.map((row) => columns.map(({ text }) => cell(text(row))));

const widest = <Row>(columns: readonly Column<Row>[], cells: readonly (readonly string[])[]): number[] =>
  columns.map(({ title }, index) =>
    cells.reduce((most, texts) => Math.max(most, texts[index]?.length ?? 0), title.length),
  );

/** An empty cell would shift the eye to the next column. */
const cell = (text: string): string => (text === '' ? '-' : printable(text));

/** As many whole lines of the terminal as the last column needs to be seen. */
function longestLine(before: readonly number[], columns: number, least: number, last: number): number {
  const needed = before.reduce((sum, width) => sum + width + gap.length, 0) + Math.min(least, last);
  return Math.max(1, Math.ceil(needed / Math.max(1, columns))) * columns;
}

/** A line that is too long is cut without its colors: half a color code would stain the rest. */
function fitted(line: string, most: number | undefined): string {
  if (most === undefined) return line.trimEnd();
  const plain = stripVTControlCharacters(line);
  return plain.length <= most ? line.trimEnd() : `${plain.slice(0, Math.max(0, most - 1))}…`;
}
