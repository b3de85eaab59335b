/** The whole story of a claim on one screen. Its first three lines are what, why and what to do. */

import { cutText } from '../../../shared/base/text.ts';
import type { Diagnosis } from '../../../shared/explain/diagnosis.ts';
import { hanging, printable, wrapped } from '../../terminal/text-table.ts';
import { type Began, beganWords } from './began.ts';
import type { Gathered } from './gather.ts';
import type { Stage } from './stages.ts';
import { storyLines } from './story.ts';
import { inWords } from './waiting.ts';
import { type Span, waterfall } from './waterfall.ts';

export interface Explained {
  what: string;
  diagnosis: Diagnosis;
  began: Began | undefined;
  stages: readonly Stage[];
  gathered: Gathered;
}

/** What the first lines need of a diagnosis; not only claims have one. */
type Said = Pick<Diagnosis, 'state' | 'code' | 'cause' | 'cure'>;

/** A cause holds what the cloud said, which may be long; the story below has all of it. */
const longestLine = 700;

/** Three lines, never more: only at a terminal they are broken, which would break them between letters. */
export function headLines(what: string, { state, code, cause, cure }: Said, columns: number | undefined): string[] {
  const line = (text: string, head: number): string[] => hanging(printable(cutText(text, longestLine)), head, columns);
  return [
    ...line(`${what}: ${state}`, 2),
    ...line(`cause  ${code === undefined ? '' : `${code}: `}${cause}`, 7),
    ...line(`cure   ${cure}`, 7),
  ];
}

/** @param columns Of the terminal, if it is one. */
export function told(
  { what, diagnosis, began, stages, gathered }: Explained,
  all: boolean,
  width: number,
  columns?: number,
): string {
  const { host, cluster, missing } = gathered;
  const lines = [...headLines(what, diagnosis, columns), ''];
  const now = [...(began ? [`Began: ${printable(beganWords(began))}.`] : []), ...nowLines(gathered)];
  lines.push(...now.flatMap((line) => hanging(line, 2, columns)));
  const conditions = host === undefined || all ? conditionLines(gathered, width) : [];
  if (conditions.length > 0) lines.push('', 'Conditions', ...conditions);
  const story = storyLines(host?.decisions ?? [], all, width);
  if (story.length > 0) lines.push('', 'Decisions', ...story);
  const events = host === undefined || all ? (cluster?.events ?? []) : [];
  if (events.length > 0)
    lines.push('', 'Events', ...events.slice(-10).flatMap((event) => hanging(eventLine(event), 21, columns)));
  const spans = spansOf(stages, gathered.now, diagnosis);
  if (spans.length > 0) lines.push('', `Stages (UTC, since ${day(stages[0]?.at)})`, ...waterfall(spans, width));
  if (missing.length > 0) lines.push('', ...missing.flatMap((text) => wrapped(printable(text), width)));
  return `${lines.join('\n')}\n`;
}

const day = (at: number | undefined): string => (at === undefined ? '' : new Date(at).toISOString().slice(0, 10));

/** Each stage took from the one before; what is not reached takes until now. */
function spansOf(stages: readonly Stage[], now: number, { well }: Diagnosis): Span[] {
  const [first] = stages;
  if (first === undefined) return [];
  const spans = stages.slice(1).map(({ name, at }, index): Span => ({ name, from: stages[index]?.at ?? at, to: at }));
  const last = stages.at(-1);
  const isOver = last?.name === 'ready' || last?.name === 'released';
  if (last && !isOver && now >= last.at) spans.push({ name: well ? 'under way' : 'waiting', from: last.at, to: now });
  return spans;
}

function nowLines({ host }: Gathered): string[] {
  if (!host) return [];
  const paused = host.pauses.map(
    ({ kind, name, setBy, why }) =>
      `Paused: ${kind} ${printable(name)}${setBy === 'configuration' ? ' by the configuration' : ''}${why ? `: ${printable(why)}` : ''}.`,
  );
  const held = host.standing.acts ? [] : [`Only read here: ${printable(host.standing.why ?? '')}.`];
  const running = host.workflows.filter(({ status }) => status === 'running');
  const waits = running.map(
    ({ workflow, startedAt, waitingFor }) =>
      `Now: ${workflow} runs since ${startedAt.slice(11, 19)}${waitingFor ? `, ${inWords(printable(waitingFor)).words}` : ''}.`,
  );
  return [...held, ...paused, ...(waits.length > 0 ? waits : ['Now: nothing runs for it.'])];
}

function conditionLines({ cluster }: Gathered, width: number): string[] {
  const conditions = cluster?.claim?.status?.conditions ?? [];
  const types = conditions.reduce((most, { type }) => Math.max(most, type.length), 0);
  return conditions.flatMap(({ type, status, reason, message, lastTransitionTime }) => {
    const head = `  ${lastTransitionTime.slice(11, 19)}  ${printable(type).padEnd(types)}  ${status.padEnd(7)}  `;
    const text = printable(reason === type || reason === '' ? message : `${reason}${message ? `: ${message}` : ''}`);
    const [first = '', ...rest] = wrapped(text, width - head.length);
    return [(head + first).trimEnd(), ...rest.map((line) => ' '.repeat(head.length) + line)];
  });
}

const eventLine = ({
  at,
  type,
  reason,
  message,
}: {
  at: number;
  type: string;
  reason: string;
  message: string;
}): string => `  ${new Date(at).toISOString().slice(11, 19)}  ${type.padEnd(7)}  ${printable(`${reason}: ${message}`)}`;
