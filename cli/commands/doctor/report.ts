/** What doctor found, for people: by group, each with its state, and below it what mends it. */
import { styleText } from 'node:util';
import type { Check } from '../../../shared/base/checks.ts';
import { printable, wrapped } from '../../terminal/text-table.ts';
import { folded } from './folded.ts';
import type { GroupedCheck } from './looks.ts';

const words = { pass: 'PASS', warn: 'WARN', fail: 'FAIL' } as const;
const colors = { pass: 'green', warn: 'yellow', fail: 'red' } as const;
const usualColumns = 120;
const narrowest = 40;
const indent = 8;

export interface Summary {
  pass: number;
  warn: number;
  fail: number;
}

export function summaryOf(checks: readonly Check[]): Summary {
  const count = (state: Check['state']): number => checks.filter((one) => one.state === state).length;
  return { pass: count('pass'), warn: count('warn'), fail: count('fail') };
}

export function report(
  checks: readonly GroupedCheck[],
  {
    color,
    columns = usualColumns,
    details = false,
  }: { color: boolean; columns?: number | undefined; details?: boolean | undefined },
): string {
  const width = Math.max(narrowest, columns - indent - 1);
  const groups = Map.groupBy(details ? checks : folded(checks), ({ group }) => group);
  const texts = [...groups].map(([title, found]) =>
    [title, ...found.flatMap((check) => linesOf(check, color, width))].join('\n'),
  );
  const { pass, warn, fail } = summaryOf(checks);
  const ended = `${fail} failed, ${warn} ${warn === 1 ? 'warning' : 'warnings'}, ${pass} passed.`;
  return `${[...texts, ended].join('\n\n')}\n`;
}

function linesOf({ name, state, message, code, repair }: Check, color: boolean, width: number): string[] {
  const word = color ? styleText(colors[state], words[state], { validateStream: false }) : words[state];
  const [first = '', ...rest] = wrapped(printable(`${name}: ${message}`), width);
  const more =
    state === 'pass'
      ? []
      : [
          ...(repair === undefined ? [] : [`→ ${repair}`]),
          ...(code === undefined ? [] : [`→ poolwright errors ${code}`]),
        ];
  const below = [...rest, ...more.flatMap((text) => wrapped(printable(text), width))];
  return [`  ${word}  ${first}`, ...below.map((line) => `${' '.repeat(indent)}${line}`)];
}
