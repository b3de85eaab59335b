/** What was decided about a claim, line by line, with the alternatives and the calls to the cloud. */
import { printable, wrapped } from '../../terminal/text-table.ts';
import { condensed } from './condensed.ts';
import type { HostDecision } from './host-view.ts';

/** One screen; whoever wants all says --details. */
const mostLines = 16;

export function storyLines(decisions: readonly HostDecision[], all: boolean, width: number): string[] {
  const short = all ? decisions : condensed(decisions);
  const shown = all ? short : short.slice(-mostLines);
  const steps = shown.reduce((most, { step }) => Math.max(most, step.length), 6);
  const lines: string[] = [];
  const hidden = short.length - shown.length;
  if (hidden > 0) lines.push(`  … ${hidden} earlier (--details)`);
  let day = '';
  for (const { at, step, text, detail } of shown) {
    // Times are UTC, as in the log and in the cluster.
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10);
      lines.push(`  ${day} (UTC)`);
    }
    const head = `  ${at.slice(11, 19)}  ${printable(step).padEnd(steps)}  `;
    const indent = ' '.repeat(head.length);
    const [first = '', ...rest] = wrapped(printable(text), width - head.length);
    lines.push(head + first, ...rest.map((line) => indent + line));
    for (const line of detailLines(detail, all)) {
      const [start = '', ...more] = wrapped(printable(line), width - head.length - 2);
      lines.push(indent + start, ...more.map((text) => `${indent}  ${text}`));
    }
  }
  return lines;
}

function detailLines(detail: unknown, all: boolean): string[] {
  if (typeof detail !== 'object' || detail === null) return [];
  const { candidates, rejections, rejected } = detail as Record<string, unknown>;
  const [chosen = '', ...others] = textsIn(candidates);
  const most = all ? Number.POSITIVE_INFINITY : 2;
  return [
    ...callLine(detail as Record<string, unknown>),
    // The first candidate is the one that was chosen.
    ...listed(
      'then',
      others.map((other) => dearer(chosen, other)),
      most,
    ),
    ...listed('not', textsIn(rejections), most + 1),
    ...(all && typeof rejected === 'number' ? [`not  ${rejected} types in all`] : []),
  ];
}

/** Which call to which cloud, and how it answered. */
function callLine({ provider, call, answer, ms, said }: Record<string, unknown>): string[] {
  if (typeof provider !== 'string' || typeof call !== 'string' || typeof answer !== 'string') return [];
  const took = typeof ms === 'number' ? ` after ${ms} ms` : '';
  const words = typeof said === 'string' ? ` (${said})` : '';
  return [`call ${provider} ${call}: ${answer}${took}${words}`];
}

/** Candidates are in the order of their price where that decides. */
function dearer(chosen: string, other: string): string {
  const [best, price] = [chosen, other].map((text) => Number(/([\d.e-]+) per hour$/.exec(text)?.[1]));
  if (best === undefined || price === undefined || !(price > best)) return other;
  return `${other}: dearer by ${Number((price - best).toPrecision(3))}`;
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function listed(word: string, texts: readonly string[], most: number): string[] {
  if (texts.length === 0) return [];
  const more = texts.length > most ? [`${word.padEnd(4)} … and ${texts.length - most} more (--details)`] : [];
  return [...texts.slice(0, most).map((text) => `${word.padEnd(4)} ${text}`), ...more];
}
