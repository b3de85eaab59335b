/** How the demo is shown: a live picture on a terminal, plain lines everywhere else. */
import { createLogUpdate } from 'log-update';
import { cut } from '../../terminal/text-table.ts';
import type { Phase, Row } from './rows.ts';

export interface Screen {
  /** What is going on from now on. */
  chapter(text: string): void;
  /** The claims as they are now. */
  show(rows: readonly Row[]): void;
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

export function openScreen(stream: ScreenStream): Screen {
  const since = performance.now();
  return stream.isTTY ? liveScreen(stream, since) : plainScreen(stream, since);
}

function plainScreen(stream: ScreenStream, since: number): Screen {
  const phases = new Map<string, string>();
  const write = (text: string): void => void stream.write(`${text}\n`);
  const at = (): string => `[${seconds(since).padStart(6)}]`;
  return {
    chapter: (text) => write(`${at()} ${text}`),
    show(rows) {
      for (const { claim, phase, type, zone, capacity, node } of rows) {
        const where =
          phase === 'Waiting' || phase === 'Gone' ? '' : `  ${[type, zone, capacity, node].join(' ').trim()}`;
        const now = `${phase}${where}`;
        if (phases.get(claim) === now) continue;
        phases.set(claim, now);
        write(`${at()}   ${claim.padEnd(8)} ${now}`);
      }
    },
    statement: (text, holds) => write(`${at()} ${holds ? 'ok    ' : 'FAILED'} ${text}`),
    done: () => undefined,
    line: write,
  };
}

const colors: Readonly<Record<Phase | 'good' | 'bad' | 'quiet' | 'strong', string>> = {
  Waiting: '90',
  Creating: '33',
  Booting: '33',
  Joining: '36',
  Ready: '32',
  Deleting: '35',
  Gone: '90',
  good: '32',
  bad: '31',
  quiet: '90',
  strong: '1',
};

/** In this order; on a narrow terminal the later ones of `spare` go first. */
const columns = ['claim', 'wants', 'phase', 'type', 'zone', 'capacity', 'node', 'age'] as const;
const spare = ['wants', 'node', 'age', 'capacity', 'zone'] as const;
const gap = 2;

function liveScreen(stream: ScreenStream, since: number): Screen {
  const update = createLogUpdate(stream, { showCursor: false });
  const colorful = stream.hasColors?.() ?? false;
  const paint = (how: keyof typeof colors, text: string): string =>
    colorful ? `\u001b[${colors[how]}m${text}\u001b[0m` : text;
  const statements: { text: string; holds: boolean; at: string }[] = [];
  let title = '';
  let rows: readonly Row[] = [];
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
        ...tableLines(rows, width, paint),
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

function tableLines(
  rows: readonly Row[],
  width: number,
  paint: (how: keyof typeof colors, text: string) => string,
): string[] {
  if (rows.length === 0) return [];
  let shown: (typeof columns)[number][] = [...columns];
  const widthOf = (column: keyof Row): number => Math.max(column.length, ...rows.map((row) => row[column].length));
  const total = (): number => shown.reduce((sum, column) => sum + widthOf(column) + gap, -gap);
  for (const column of spare) if (total() > width) shown = shown.filter((one) => one !== column);
  const line = (cell: (column: keyof Row) => string, style: (column: keyof Row, text: string) => string): string =>
    shown.map((column) => style(column, cell(column).padEnd(widthOf(column)))).join(' '.repeat(gap));
  return [
    line(
      (column) => column.toUpperCase(),
      (_, text) => paint('quiet', text),
    ),
    ...rows.map((row) =>
      line(
        (column) => row[column],
        (column, text) =>
          column === 'phase' ? paint(row.phase, text) : row.phase === 'Gone' ? paint('Gone', text) : text,
      ),
    ),
  ];
}
