/** Spans of time below each other, with bars that fit the width. Plain text, so that it can be pasted into a report. */
import { duration } from '../../../shared/explain/diagnosis-words.ts';
import { cut, printable } from '../../terminal/text-table.ts';

export interface Span {
  name: string;
  /** Milliseconds. */
  from: number;
  to: number;
  note?: string;
  /** One of its ends is known to the second only: a part of a second says nothing. */
  isRounded?: boolean;
}

const shortestBar = 10;
const longestName = 28;

export function waterfall(spans: readonly Span[], width: number): string[] {
  const [first] = spans;
  if (first === undefined) return [];
  const begin = spans.reduce((least, { from }) => Math.min(least, from), first.from);
  const end = spans.reduce((most, { to }) => Math.max(most, to), first.to);
  const rows = spans.map((span) => ({
    ...span,
    name: cut(printable(span.name), longestName),
    time: new Date(span.from).toISOString().slice(11, 19),
    took: span.isRounded ? rounded(span.to - span.from) : precise(span.to - span.from),
  }));
  const names = widest(rows.map(({ name }) => name));
  const tooks = widest(rows.map(({ took }) => took));
  const notes = spans.some(({ note }) => note !== undefined);
  const room = width - (2 + names + 2 + 8 + 2 + tooks + 2);
  const bar = Math.max(shortestBar, notes ? Math.floor(room / 2) : room);
  const scale = end > begin ? bar / (end - begin) : 0;
  return rows.map(({ name, time, took, from, to, note }) => {
    const before = Math.min(bar - 1, Math.floor((from - begin) * scale));
    const length = Math.max(1, Math.min(bar - before, Math.round((to - from) * scale)));
    const drawn = `${' '.repeat(before)}${'#'.repeat(length)}`;
    const line = `  ${name.padEnd(names)}  ${time}  ${took.padStart(tooks)}  ${note === undefined ? drawn : drawn.padEnd(bar)}`;
    return note === undefined ? line : cut(`${line}  ${printable(note)}`, Math.max(width, line.length));
  });
}

const rounded = (milliseconds: number): string => (milliseconds < 1000 ? '< 1 s' : duration(milliseconds));

/** Where much happens within a second, a second is too long a measure. */
function precise(milliseconds: number): string {
  if (milliseconds < 1000) return milliseconds === 0 ? '0 s' : `${Math.round(milliseconds)} ms`;
  return milliseconds < 10_000 ? `${Math.round(milliseconds / 100) / 10} s` : duration(milliseconds);
}

const widest = (texts: readonly string[]): number => texts.reduce((most, { length }) => Math.max(most, length), 0);
