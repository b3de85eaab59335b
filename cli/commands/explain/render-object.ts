/** A pool or a node class on one screen. Its first three lines are what, why and what to do. */
import type { ObjectAnswer } from '../../../shared/explain/objects/answer.ts';
import { hanging, printable, wrapped } from '../../terminal/text-table.ts';
import type { ExplainedObject } from './object.ts';
import { conditionLines, eventLine, headLines } from './render-claim.ts';

/** One screen; --details shows all. */
const mostClaims = 10;

export function renderObject(
  { answer, missing }: ExplainedObject,
  all: boolean,
  width: number,
  columns?: number,
): string {
  const { diagnosis, conditions, events } = answer;
  const { fix, ...said } = diagnosis;
  const lines = headLines(whatOf(answer), { ...said, cure: fix }, columns);
  const claims = claimLines(answer, all);
  if (claims.length > 0) lines.push('', 'Claims', ...claims.flatMap((line) => hanging(printable(line), 4, columns)));
  if (conditions.length > 0) lines.push('', 'Conditions', ...conditionLines(answer, width));
  const shown = events.slice(all ? 0 : -10);
  if (shown.length > 0) lines.push('', 'Events', ...shown.flatMap((event) => hanging(eventLine(event), 21, columns)));
  if (missing.length > 0) lines.push('', ...missing.flatMap((text) => wrapped(printable(text), width)));
  return `${lines.join('\n')}\n`;
}

export const whatOf = ({ kind, name, cluster }: ObjectAnswer): string =>
  `${kind === 'NodePool' ? 'pool' : `nodeclass/${kind}`}/${name} in cluster ${cluster}`;

/** Those that are not ready come first: they are why somebody asks. */
function claimLines({ claims = [], failure }: ObjectAnswer, all: boolean): string[] {
  const sorted = claims.toSorted((a, b) => Number(a.ready) - Number(b.ready));
  const shown = all ? sorted : sorted.slice(0, mostClaims);
  const lines = shown.map(({ name, ready, reason, message }) =>
    ready ? `  ${name}: ready` : `  ${name}: ${reason === undefined ? 'not ready' : `${reason}: ${message}`}`,
  );
  if (shown.length < sorted.length) lines.push(`  … and ${sorted.length - shown.length} more (--details)`);
  if (failure)
    lines.push(`  ${failure.claim}: failed at ${failure.at.slice(11, 19)}: ${failure.reason}: ${failure.message}`);
  return lines;
}
