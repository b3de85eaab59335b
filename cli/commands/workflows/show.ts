/** `poolwright workflows show`: the history of one as a table, and what it waits for. */
import { defined } from '../../../shared/base/defined.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { oldWaiting } from '../../../shared/explain/old-records.ts';
import { withHostApi } from '../../reach/host-api.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import { type Column, table } from '../../terminal/output/table.ts';
import { ageSince, ageText } from '../../terminal/output/values.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { cut, printable, wrapped } from '../../terminal/text-table.ts';
import { inspect, type WhichOptions, type WorkflowHistory } from './workflow.ts';

export interface ShowOptions extends WhichOptions {
  output: DocumentFormat;
}

const usualColumns = 120;
const longestOutcome = 160;

export async function show(word: string, options: ShowOptions, terminal: Terminal): Promise<number> {
  const found = await withHostApi(options, (api) => inspect(api, word, options));
  const look = { now: systemClock.now(), columns: terminal.columns(), color: terminal.color };
  await printDocument(found, () => renderWorkflow(found, look), options.output, terminal);
  return 0;
}

interface Look {
  now: number;
  /** Nothing for a pipe, where no line is cut. */
  columns?: number | undefined;
  color?: boolean;
}

interface Step {
  step: number;
  command: string;
  at: string;
  tookMs: number;
  ok: boolean;
  outcome: string;
}

const columnsOfSteps: readonly Column<Step>[] = [
  { title: 'STEP', text: ({ step }) => String(step) },
  { title: 'COMMAND', text: ({ command }) => command },
  { title: 'AT', text: ({ at }) => at.replace(/\.\d+Z$/, 'Z') },
  { title: 'TOOK', text: ({ tookMs }) => tookText(tookMs) },
  { title: 'OUTCOME', text: ({ outcome }) => outcome, style: ({ ok }) => (ok ? undefined : 'red') },
];

export function renderWorkflow(found: WorkflowHistory, { now, columns, color = false }: Look): string {
  const { id, workflow, version, startedAt, input, signals, history } = found;
  const width = Math.max(60, columns ?? usualColumns) - 10;
  const field = (title: string, text: string | undefined): string[] => {
    if (text === undefined) return [];
    const [first = '', ...rest] = wrapped(printable(text), width);
    return [`${title.padEnd(8)}  ${first}`, ...rest.map((line) => `${' '.repeat(10)}${line}`)];
  };
  const steps = table(columnsOfSteps, stepsOf(found), { color, columns });
  return [
    ...field('WORKFLOW', id),
    ...field('CODE', `${workflow}, version ${version}`),
    ...field('INPUT', JSON.stringify(input)),
    ...field('STARTED', `${startedAt}, ${ageSince(startedAt, now)} ago`),
    ...field('STATUS', statusText(found, now)),
    ...field('WAITS', waitsText(found, now)),
    ...field(
      'SIGNALS',
      signals.length === 0 ? undefined : `${signals.join(', ')} (received; handled at its next wait)`,
    ),
    '',
    history.length === 0 ? 'No step has finished yet.\n' : steps,
    ...advice(found),
  ].join('\n');
}

/** One command follows another, so each began when the one before had ended. */
function stepsOf({ startedAt, history }: WorkflowHistory): Step[] {
  let before = Date.parse(startedAt);
  return history.map(({ step, command, ok, value, error, at }) => {
    const ended = Date.parse(at);
    const tookMs = Math.max(0, ended - before);
    before = ended;
    const said = ok
      ? value === undefined
        ? 'ok'
        : `ok ${JSON.stringify(value)}`
      : `failed: ${error ?? 'no reason given'}`;
    return { step, command, at, tookMs, ok, outcome: cut(said, longestOutcome) };
  });
}

function statusText({ status, endedAt, error, result }: WorkflowHistory, now: number): string {
  const when = endedAt === undefined ? '' : `, ${ageSince(endedAt, now)} ago (${endedAt})`;
  if (error !== undefined) return `${status}${when}: ${error}`;
  return result === undefined || result === null ? `${status}${when}` : `${status}${when}: ${JSON.stringify(result)}`;
}

/** `call beginCreate`, or `wait-signal look until 2026-…`: then also how long that is from now. */
function waitsText(shown: WorkflowHistory, now: number): string | undefined {
  const { status, startedAt, history } = shown;
  if (status !== 'running') return undefined;
  const since = history.at(-1)?.at ?? startedAt;
  const { what, until } = waitOf(shown);
  const left = Number(until) - now;
  const end =
    until === undefined
      ? ''
      : ` until ${new Date(until).toISOString()}${left > 0 ? `, ${ageText(left)} from now` : ', due now'}`;
  return `for ${what}${end}; since ${ageSince(since, now)}`;
}

/** The command that is open, and when it goes on by itself. */
function waitOf({ waitingFor = 'its first step', waiting }: WorkflowHistory): { what: string; until?: number } {
  const told = waiting && { ...waiting, until: waiting.until === undefined ? undefined : Date.parse(waiting.until) };
  const { command, name, until } = told ?? oldWaiting(waitingFor);
  return { what: [command, ...(name === undefined ? [] : [name])].join(' '), ...defined({ until }) };
}

const tookText = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  return milliseconds < 120_000 ? `${(milliseconds / 1000).toFixed(1)}s` : ageText(milliseconds);
};

function advice({ id, status }: WorkflowHistory): string[] {
  if (status === 'running' || status === 'completed') return [];
  return [`Restart it: poolwright workflows restart ${printable(id)}`, ''];
}
