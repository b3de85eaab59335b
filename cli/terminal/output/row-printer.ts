/** Rows that come one after the other, as in a watch: the titles once, and columns that stay where they are. */
import type { Terminal } from '../terminal.ts';
import type { Format, Listing } from './formats.ts';
import { fittingColumns, table, widthsOf } from './table.ts';

export interface RowPrinter<Row> {
  /** The first rows, which decide how wide the columns are. */
  start(rows: readonly Row[]): void;
  print(row: Row): void;
}

export function rowPrinter<Row>(
  { columns, name, data, empty, whole }: Omit<Listing<Row>, 'rows'>,
  format: Format,
  terminal: Terminal,
): RowPrinter<Row> {
  // A stream of documents: one JSON object per line, which yaml reads as well.
  if (format === 'json' || format === 'yaml') {
    const document = (row: Row): void =>
      terminal.out(`${format === 'yaml' ? '--- ' : ''}${JSON.stringify(data(row))}\n`);
    return { start: (rows) => rows.forEach(document), print: document };
  }
  if (format === 'name') {
    const line = (row: Row): void => terminal.out(`${name(row)}\n`);
    return { start: (rows) => rows.forEach(line), print: line };
  }
  let shown = columns.filter(({ wide }) => format === 'wide' || !wide);
  let widths: readonly number[] = [];
  let header = true;
  const print = (rows: readonly Row[]): void => {
    // What comes later may be longer; columns only ever grow.
    const needed = widthsOf(shown, rows);
    widths = needed.map((width, index) => Math.max(width, widths[index] ?? 0));
    const width = format === 'wide' || whole ? undefined : terminal.columns();
    terminal.out(table(shown, rows, { widths, header, color: terminal.color, columns: width }));
    header = false;
  };
  return {
    start: (rows) => {
      if (rows.length === 0) return terminal.err(`${empty}\n`);
      const width = format === 'wide' || whole ? undefined : terminal.columns();
      // The first rows decide for all that follow: columns must not come and go.
      shown = [...fittingColumns(shown, rows, width)];
      return print(rows);
    },
    print: (row) => print([row]),
  };
}
