/** `poolwright deadletters show`: why one lies there, what is wrong with it now, and what to do. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable, wrapped } from '../../terminal/text-table.ts';
import { idIn } from './ids.ts';
import { aboutOf, type DeadLetter, parsed, typeOf } from './letters.ts';

export interface ShowOptions extends HostAddress {
  output: DocumentFormat;
}

/** As the host tells it. */
export interface ShownLetter extends DeadLetter {
  problem?: string;
}

const usualColumns = 100;

export async function show(id: string, options: ShowOptions, terminal: Terminal): Promise<number> {
  const path = `/v1/dead-letters/${encodeURIComponent(idIn(id))}`;
  const letter = await withHostApi(options, (api) => api.ask<ShownLetter>('GET', path));
  const text = () => renderDeadLetter(letter, systemClock.now(), terminal.columns() ?? usualColumns);
  await printDocument({ ...letter }, text, options.output, terminal);
  return 0;
}

export function renderDeadLetter(letter: ShownLetter, now: number, columns: number): string {
  const { id, reason, body, receiveCount, enqueuedAt, deadAt, problem } = letter;
  const width = Math.max(60, columns) - 10;
  const field = (title: string, text: string): string => {
    const [first = '', ...rest] = wrapped(printable(text), width);
    return [`${title.padEnd(8)}  ${first}`, ...rest.map((line) => `${' '.repeat(10)}${line}`)].join('\n');
  };
  const about = aboutOf(letter);
  return [
    field('LETTER', id),
    field('WHY', reason),
    field('NOW', problem ?? 'nothing is wrong with the message: this host can process it'),
    ...(about === undefined ? [] : [field('ABOUT', about)]),
    field('TYPE', typeOf(letter) ?? 'not a readable event'),
    field('SENT', `${enqueuedAt}, received ${times(receiveCount)}`),
    field('DEAD', `${deadAt}, ${ageSince(deadAt, now)} ago`),
    '',
    shownBody(body),
    '',
    ...wrapped(whatToDo(letter), Math.max(60, columns)),
    '',
  ].join('\n');
}

const whatToDo = ({ id, problem }: ShownLetter): string =>
  printable(
    problem === undefined
      ? `You can put it back on the queue: poolwright deadletters replay ${id}`
      : `A replay would fail again: fix the sender, or the configuration. Nothing depends on this message, because the resync checks every claim. Then drop it: poolwright deadletters drop ${id}`,
  );

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** It may hold anything: JSON is laid out, and no line of it can move the cursor. */
function shownBody(body: string): string {
  if (body.trim() === '') return '(the body is empty)';
  const value = parsed(body);
  const text = value === undefined ? body : JSON.stringify(value, null, 2);
  return text.split('\n').map(printable).join('\n');
}
