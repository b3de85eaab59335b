/** What is kept of a choice for `explain`: the next candidates, why the other types were passed over, and what would help. */

import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { cutText } from '../../../base/text.ts';
import type { Choice, ChoiceInput, Misfit, Rejection } from '../../claims/choice/choice.ts';
import { nearestChange } from '../../claims/choice/nearest-change.ts';
import { describeOffering, knownPrice } from '../../claims/choice/offerings.ts';
import { labels } from '../../claims/spec/well-known.ts';

const listedCandidates = 10;
const namedTypes = 4;
const longestReason = 300;
/** A decision whose detail is too long loses all of it. */
const mostCharacters = 2000;

/** The most telling first: what could be had at another time, before what could never. */
const order: readonly Rejection['kind'][] = ['sold-out', 'price', 'min-values', 'resource', 'requirement'];

export function choiceDetail(choice: Choice): { [key: string]: Json } {
  const candidates = choice.candidates.slice(0, listedCandidates);
  return {
    candidates: candidates.map(describeOffering),
    prices: candidates.map(({ price }) => knownPrice(price) ?? null),
    rejections: groupedRejections(choice.rejections),
    rejected: choice.rejections.length,
  };
}

/** Where nothing can be had, also the nearest change: it takes a choice for each wish, so only then. */
export function failedChoiceDetail(choice: Choice, question: ChoiceInput): { [key: string]: Json } {
  const nearest = nearestChange(question, choice);
  return { ...choiceDetail(choice), ...defined({ nearest }) };
}

/** Of each type it would say that its name is another one. */
const sharedReason = ({ key, reason, wanted }: Misfit): string =>
  key === labels.instanceType && wanted !== undefined ? `not ${key} ${wanted}` : reason;

const reasonOf = ({ reason, misfits }: Rejection): string =>
  misfits === undefined ? reason : cutText(misfits.map(sharedReason).join('; '), longestReason);

/** Types with the same reason against them are one line. */
function groupedRejections(rejections: readonly Rejection[]): string[] {
  const groups = new Map<string, { kind: Rejection['kind']; types: string[] }>();
  for (const rejection of rejections) {
    const { kind, instanceType } = rejection;
    const reason = reasonOf(rejection);
    const group = groups.get(reason);
    if (group) group.types.push(instanceType);
    else groups.set(reason, { kind, types: [instanceType] });
  }
  const lines: string[] = [];
  let left = mostCharacters;
  const sorted = [...groups].sort(([, a], [, b]) => order.indexOf(a.kind) - order.indexOf(b.kind));
  for (const [reason, { types }] of sorted) {
    const more = types.length > namedTypes ? ` and ${types.length - namedTypes} more` : '';
    const line = `${types.slice(0, namedTypes).join(', ')}${more}: ${reason}`;
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  return lines;
}
