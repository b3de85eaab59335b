/** What was decided about a claim, line by line, with the alternatives and the calls to the cloud. */
import type { AnsweredDecision } from '../../../shared/explain/answer.ts';
import { type Condensed, condensed } from '../../../shared/explain/condensed.ts';
import { type Call, detailIn } from '../../../shared/explain/decision-detail.ts';
import { printable, wrapped } from '../../terminal/text-table.ts';

/** One screen; whoever wants all says --details. */
const mostLines = 16;

export function storyLines(decisions: readonly AnsweredDecision[], all: boolean, width: number): string[] {
  const short: readonly Condensed<AnsweredDecision>[] = all ? decisions : condensed(decisions);
  const shown = all ? short : short.slice(-mostLines);
  const steps = shown.reduce((most, { step }) => Math.max(most, step.length), 6);
  const lines: string[] = [];
  const hidden = short.length - shown.length;
  if (hidden > 0) lines.push(`  … ${hidden} earlier (--details)`);
  let day = '';
  for (const { at, step, text, detail, times, since } of shown) {
    // Times are UTC, as in the log and in the cluster.
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10);
      lines.push(`  ${day} (UTC)`);
    }
    const head = `  ${at.slice(11, 19)}  ${printable(step).padEnd(steps)}  `;
    const indent = ' '.repeat(head.length);
    const note = times === undefined ? '' : ` (${times} times since ${since?.slice(11, 19)}; --details)`;
    const [first = '', ...rest] = wrapped(printable(text + note), width - head.length);
    lines.push(head + first, ...rest.map((line) => indent + line));
    for (const line of detailLines(detail, all)) {
      const [start = '', ...more] = wrapped(printable(line), width - head.length - 2);
      lines.push(indent + start, ...more.map((text) => `${indent}  ${text}`));
    }
  }
  return lines;
}

function detailLines(detail: unknown, all: boolean): string[] {
  const { call, others, rejections, rejected } = detailIn(detail);
  const most = all ? Number.POSITIVE_INFINITY : 2;
  const next = others.map(({ text, dearerBy }) => (dearerBy === undefined ? text : `${text}: $${dearerBy} more`));
  return [
    ...(call ? [callLine(call)] : []),
    ...listed('then', next, most),
    ...listed('not', rejections, most + 1),
    ...(all && rejected !== undefined ? [`not  ${rejected} types in all`] : []),
  ];
}

/** Which call to which cloud, and how it answered. */
function callLine({ provider, call, answer, ms, said }: Call): string {
  const took = ms === undefined ? '' : ` after ${ms} ms`;
  return `call ${provider} ${call}: ${answer}${took}${said === undefined ? '' : ` (${said})`}`;
}

function listed(word: string, texts: readonly string[], most: number): string[] {
  if (texts.length === 0) return [];
  const more = texts.length > most ? [`${word.padEnd(4)} … and ${texts.length - most} more (--details)`] : [];
  return [...texts.slice(0, most).map((text) => `${word.padEnd(4)} ${text}`), ...more];
}
