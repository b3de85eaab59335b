/** How the demo is shown: a live picture on a terminal, plain lines everywhere else. */
import { createLogUpdate } from 'log-update';
import { cut } from '../../terminal/text-table.ts';
/** What the table shows of one thing; each is a text. */
export type Cells = Readonly<Record<string, string>>;

/** How rows are laid out. */
export interface Table<R extends Cells> {
  readonly columns: readonly (keyof R & string)[];
  /** On a narrow terminal these go first, in this order. */
  readonly spare: readonly (keyof R & string)[];
  /** The name of a row, which stays. */
  readonly key: keyof R & string;
  /** What colors a row. */
  readonly phase: keyof R & string;
  /** Behind the phase on a plain line. */
  details(row: R): string;
}

export interface Screen<R extends Cells = Cells> {
  /** What is going on from now on. */
  chapter(text: string): void;
  /** The things of the demo as they are now. */
  show(rows: readonly R[]): void;
  /** Something that was looked at: it is so, or it is not. */
  statement(text: string, holds: boolean): void;
  /** Ends the picture; what comes after it are ordinary lines. */
  done(): void;
  line(text: string, mood?: 'good' | 'bad'): void;
}

/** Standard output, or what a test puts in its place. */
export interface ScreenStream extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  hasColors?(): boolean;
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

export function openScreen<R extends Cells>(stream: ScreenStream, table: Table<R>): Screen<R> {
  const since = performance.now();
  return stream.isTTY ? liveScreen(stream, table, since) : plainScreen(stream, table, since);
}

function plainScreen<R extends Cells>(
  stream: ScreenStream,
  { key, phase, details }: Table<R>,
  since: number,
): Screen<R> {
  const phases = new Map<string, string>();
  const write = (text: string): void => void stream.write(`${text}\n`);
  const at = (): string => `[${seconds(since).padStart(6)}]`;
  return {
    chapter: (text) => write(`${at()} ${text}`),
    show(rows) {
      for (const row of rows) {
        const [name = '', text = ''] = [row[key], row[phase]];
        const more = details(row);
        const now = more === '' ? text : `${text}  ${more}`;
        if (phases.get(name) === now) continue;
        phases.set(name, now);
        write(`${at()}   ${name.padEnd(8)} ${now}`);
      }
    },
    statement: (text, holds) => write(`${at()} ${holds ? 'ok    ' : 'FAILED'} ${text}`),
    done: () => undefined,
    line: write,
  };
}

const colors: Readonly<Record<string, string>> = {
  Waiting: '90',
  Creating: '33',
  Booting: '33',
  Joining: '36',
  Ready: '32',
  Deleting: '35',
  Gone: '90',
  Provisioning: '33',
  Failed: '31',
  good: '32',
  bad: '31',
  quiet: '90',
  strong: '1',
};

const gap = 2;
type Paint = (how: string, text: string) => string;

function liveScreen<R extends Cells>(stream: ScreenStream, table: Table<R>, since: number): Screen<R> {
  const update = createLogUpdate(stream, { showCursor: false });
  const colorful = stream.hasColors?.() ?? false;
  const paint: Paint = (how, text) =>
    colorful && colors[how] !== undefined ? `\u001b[${colors[how]}m${text}\u001b[0m` : text;
  const statements: { text: string; holds: boolean; at: string }[] = [];
  let title = '';
  let rows: readonly R[] = [];
  const draw = (): void => {
    const width = Math.max(20, (stream.columns ?? 80) - 1);
    update(
      [
        paint('strong', cut(`Poolwright demo, ${seconds(since)}: ${title}`, width)),
        '',
        ...statements.map(({ text, holds, at }) =>
          paint(holds ? 'good' : 'bad', cut(`${holds ? '✓' : '✗'} ${at.padStart(6)}  ${text}`, width)),
        ),
        ...(statements.length === 0 ? [] : ['']),
        ...tableLines(rows, table, width, paint),
      ].join('\n'),
    );
  };
  /** The terminal has wrapped the old picture anew, so nobody knows where its lines are: only a clean sheet is safe. */
  const redraw = (): void => {
    update.clear();
    stream.write('\u001b[2J\u001b[H');
    draw();
  };
  stream.on('resize', redraw);
  return {
    chapter(text) {
      title = text;
      draw();
    },
    show(given) {
      rows = given;
      draw();
    },
    statement(text, holds) {
      statements.push({ text, holds, at: seconds(since) });
      draw();
    },
    done() {
      stream.off('resize', redraw);
      update.done();
    },
    line: (text, mood) => void stream.write(`${mood === undefined ? text : paint(mood, text)}\n`),
  };
}

function tableLines<R extends Cells>(
  rows: readonly R[],
  { columns, spare, phase }: Table<R>,
  width: number,
  paint: Paint,
): string[] {
  if (rows.length === 0) return [];
  type Column = keyof R & string;
  let shown: Column[] = [...columns];
  const widthOf = (column: Column): number => Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length));
  const total = (): number => shown.reduce((sum, column) => sum + widthOf(column) + gap, -gap);
  for (const column of spare) if (total() > width) shown = shown.filter((one) => one !== column);
  const line = (cell: (column: Column) => string, style: (column: Column, text: string) => string): string =>
    shown.map((column) => style(column, cell(column).padEnd(widthOf(column)))).join(' '.repeat(gap));
  return [
    line(
      (column) => column.toUpperCase(),
      (_, text) => paint('quiet', text),
    ),
    ...rows.map((row) =>
      line(
        (column) => row[column] ?? '',
        (column, text) =>
          column === phase ? paint(row[phase] ?? '', text) : row[phase] === 'Gone' ? paint('Gone', text) : text,
      ),
    ),
  ];
}
