/** The whole story of a claim on one screen. Its first three lines are what, why and what to do. */

import { cutText } from '../../../shared/base/text.ts';
import type { Answer } from '../../../shared/explain/answer.ts';
import { beganWords } from '../../../shared/explain/began.ts';
import type { Diagnosis } from '../../../shared/explain/diagnosis.ts';
import { hanging, printable, wrapped } from '../../terminal/text-table.ts';
import { storyLines } from './story.ts';
import { type Span, waterfall } from './waterfall.ts';

export interface Explained {
  what: string;
  answer: Answer;
  /** Sentences: whom nobody could ask, and why. */
  missing: string[];
}

/** What the first lines need of a diagnosis; not only claims have one. */
type Said = Pick<Diagnosis, 'state' | 'cause' | 'cure'> & { code?: string | undefined };

/** A cause holds what the cloud said, which may be long; the story below has all of it. */
const longestLine = 700;

/** Three lines, never more: only at a terminal they are broken, which would break them between letters. */
export function headLines(what: string, { state, code, cause, cure }: Said, columns: number | undefined): string[] {
  const line = (text: string, head: number): string[] => hanging(printable(cutText(text, longestLine)), head, columns);
  return [
    ...line(`${what}: ${state}`, 2),
    ...line(`cause  ${code === undefined ? '' : `${code}: `}${cause}`, 7),
    ...line(`fix    ${cure}`, 7),
  ];
}

/** @param columns Of the terminal, if it is one. */
export function renderClaim(
  { what, answer, missing }: Explained,
  all: boolean,
  width: number,
  columns?: number,
): string {
  const { began, standing, stages, decisions } = answer;
  const isHostKnown = standing !== undefined;
  const lines = [...claimHead(what, answer, columns), ''];
  const words = began && beganWords({ ...began, at: Date.parse(began.at) });
  const now = [...(words === undefined ? [] : [`Started: ${printable(words)}.`]), ...nowLines(answer)];
  lines.push(...now.flatMap((line) => hanging(line, 2, columns)));
  const conditions = !isHostKnown || all ? conditionLines(answer, width) : [];
  if (conditions.length > 0) lines.push('', 'Conditions', ...conditions);
  const story = storyLines(decisions, all, width);
  if (story.length > 0) lines.push('', 'Decisions', ...story);
  const events = !isHostKnown || all ? answer.events : [];
  if (events.length > 0)
    lines.push('', 'Events', ...events.slice(-10).flatMap((event) => hanging(eventLine(event), 21, columns)));
  const spans = spansOf(answer);
  if (spans.length > 0)
    lines.push('', `Stages (UTC, since ${(stages[0]?.at ?? '').slice(0, 10)})`, ...waterfall(spans, width));
  if (missing.length > 0) lines.push('', ...missing.flatMap((text) => wrapped(printable(text), width)));
  return `${lines.join('\n')}\n`;
}

/** The first lines of a claim. */
export function claimHead(what: string, { diagnosis }: Answer, columns: number | undefined): string[] {
  const { fix, ...said } = diagnosis;
  return headLines(what, { ...said, cure: fix }, columns);
}

/** Each stage took from the one before; what is not reached takes until now. */
function spansOf({ stages, now: answeredAt, gone, diagnosis: { well } }: Answer): Span[] {
  const reached = stages.map(({ name, at, whole = false }) => ({ name, at: Date.parse(at), whole }));
  const [first] = reached;
  if (first === undefined) return [];
  const now = Date.parse(answeredAt);
  const spans = reached.slice(1).map(({ name, at, whole }, index): Span => {
    const before = reached[index];
    const isRounded = whole || before?.whole === true;
    return { name, from: before?.at ?? at, to: at, ...(isRounded ? { isRounded } : {}) };
  });
  const last = reached.at(-1);
  const isOver = gone || last?.name === 'ready' || last?.name === 'released';
  if (last && !isOver && now >= last.at) spans.push({ name: well ? 'under way' : 'waiting', from: last.at, to: now });
  return spans;
}

function nowLines({ standing, pauses, waits }: Answer): string[] {
  if (!standing) return [];
  const paused = pauses.map(
    ({ kind, name, setBy, why }) =>
      `Paused: ${kind} ${printable(name)}${setBy === 'configuration' ? ' by the configuration' : ''}${why ? `: ${printable(why)}` : ''}.`,
  );
  const held = standing.acts ? [] : [`Read-only: ${printable(standing.why ?? '')}.`];
  const running = waits.map(
    ({ workflow, since, text }) =>
      `Now: ${workflow} has been running since ${since.slice(11, 19)}${text === undefined ? '' : `, ${printable(text)}`}.`,
  );
  return [...held, ...paused, ...(running.length > 0 ? running : ['Now: no workflow is running for it.'])];
}

export function conditionLines({ conditions }: Pick<Answer, 'conditions'>, width: number): string[] {
  const types = conditions.reduce((most, { type }) => Math.max(most, type.length), 0);
  return conditions.flatMap(({ type, status, reason, message, lastTransitionTime }) => {
    const head = `  ${lastTransitionTime.slice(11, 19)}  ${printable(type).padEnd(types)}  ${status.padEnd(7)}  `;
    const text = printable(reason === type || reason === '' ? message : `${reason}${message ? `: ${message}` : ''}`);
    const [first = '', ...rest] = wrapped(text, width - head.length);
    return [(head + first).trimEnd(), ...rest.map((line) => ' '.repeat(head.length) + line)];
  });
}

export const eventLine = ({ at, type, reason, message }: Answer['events'][number]): string =>
  `  ${at.slice(11, 19)}  ${type.padEnd(7)}  ${printable(`${reason}: ${message}`)}`;
