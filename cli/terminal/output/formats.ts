/** `-o`: one answer in the form that was asked for. */
import type { Json } from '../../../shared/base/json.ts';
import type { Terminal } from '../terminal.ts';
import { type Column, fittingColumns, table } from './table.ts';

export const formats = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

export interface Listing<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** `kind/name`, which other commands take. */
  name(row: Row): string;
  /** Another one by which people may ask for it, perhaps for several rows at once. */
  alias?(row: Row): string | undefined;
  /** What json and yaml show of a row: stable names, whole values. */
  data(row: Row): Json;
  /** Said on `err` where there is no row, so that a script reads nothing. */
  empty: string;
  /** Rows are never cut, however narrow the terminal is. */
  whole?: boolean;
}

export async function printListing<Row>(listing: Listing<Row>, format: Format, terminal: Terminal): Promise<void> {
  const { rows, columns, name, data, empty, whole } = listing;
  if (format === 'json') return terminal.out(`${JSON.stringify({ items: rows.map(data) }, null, 2)}\n`);
  if (format === 'yaml') {
    const { stringify } = await import('yaml');
    return terminal.out(stringify({ items: rows.map(data) }));
  }
  if (format === 'name') return terminal.out(rows.map((row) => `${name(row)}\n`).join(''));
  if (rows.length === 0) return terminal.err(`${empty}\n`);
  const shown = columns.filter(({ wide }) => format === 'wide' || !wide);
  const width = format === 'wide' || whole ? undefined : terminal.columns();
  terminal.out(table(fittingColumns(shown, rows, width), rows, { color: terminal.color, columns: width }));
}
