/** The outcome of a choice in words, for the claim's condition: which wish excludes how many types, and what is nearest. */

import { didYouMean, nearest } from '../../../base/nearest.ts';
import { cutText } from '../../../base/text.ts';
import { formatQuantity, zeroQuantity } from '../spec/quantities.ts';
import type { Requirements } from '../spec/requirements.ts';
import type { Resources } from '../spec/resources.ts';
import { describeSet, isEmpty, toInteger, type ValueSet } from '../spec/value-set.ts';
import { labels, wellKnownLabels } from '../spec/well-known.ts';
import type { Catalog, CatalogType } from './catalog.ts';
import type { Choice, Exclusion, Misfit } from './choice.ts';
import { describeOffering, type Offering } from './offerings.ts';
import { rounded } from './price-limit.ts';

/** Condition messages are cut at 1024; this leaves room for what callers put around it. */
export const longestSummary = 900;
const shownExclusions = 4;
const shownSoldOut = 3;
const shownValues = 4;
const roomForReasons = 450;

export interface ChoiceFacts {
  catalog: Catalog;
  requirements: Requirements;
  requests: Resources;
  misfits: ReadonlyMap<CatalogType, Misfit[]>;
  shortage: string | undefined;
}

export function describeChoice(choice: Omit<Choice, 'summary'>, facts: ChoiceFacts): string {
  const text = {
    available: describeAvailable,
    'sold-out': describeSoldOut,
    impossible: describeImpossible,
  }[choice.outcome](choice, facts);
  return cutText(text, longestSummary);
}

function describeAvailable(choice: Omit<Choice, 'summary'>, { catalog }: ChoiceFacts): string {
  const types = new Set(choice.candidates.map(({ instanceType }) => instanceType)).size;
  const best = describeOffering(choice.candidates[0]!);
  const relaxed = choice.minValuesRelaxed ? '; with fewer values than minValues requires' : '';
  return `The best is ${best}, of ${count(choice.candidates.length, 'offering')} of ${types} out of ${count(catalog.types.length, 'instance type')}${relaxed}`;
}

function describeSoldOut(choice: Omit<Choice, 'summary'>, { catalog, shortage }: ChoiceFacts): string {
  const types = new Set(choice.soldOut.map(({ instanceType }) => instanceType)).size;
  const { refusedFirst: first } = choice;
  const listed = [...(first ? [first] : []), ...choice.soldOut.filter((one) => one !== first)].slice(0, shownSoldOut);
  const reasons = new Set(listed.map(({ unavailableReason }) => unavailableReason));
  const longest = Math.floor(roomForReasons / reasons.size);
  const shown = listed
    .map((offering, index) => {
      const told = listed.slice(0, index).some((one) => one.unavailableReason === offering.unavailableReason);
      return describeSoldOutOffering(offering, told, longest);
    })
    .join('; ');
  const rest = choice.soldOut.length - shownSoldOut;
  const more = rest > 0 ? `; and ${rest} more` : '';
  const fit = `${types} of ${count(catalog.types.length, 'instance type')} fit but are unavailable now: ${shown}${more}${describeTooDear(choice)}`;
  return shortage === undefined ? fit : `${shortage}; ${fit}`;
}

function describeTooDear({ tooDear }: Omit<Choice, 'summary'>): string {
  if (tooDear === undefined) return '';
  const { offerings, ceiling } = tooDear;
  const price = ceiling === undefined ? '' : `over the price ceiling of $${rounded(ceiling)} per hour or `;
  return `; ${count(offerings, 'more offering')} ${offerings === 1 ? 'is' : 'are'} not taken: ${price}without a known price`;
}

/** A reason that several share is told once, at length: it may hold the numbers and what to do. */
function describeSoldOutOffering(offering: Offering, isTold: boolean, longestReason: number): string {
  const until =
    offering.unavailableUntil === undefined ? '' : ` until ${new Date(offering.unavailableUntil).toISOString()}`;
  const reason = offering.unavailableReason;
  const why = reason === undefined || isTold ? '' : ` (${cutText(reason, longestReason)})`;
  return `${describeOffering(offering)}, ${offering.overQuota ? 'over quota' : 'out of capacity'}${until}${why}`;
}

function describeImpossible(choice: Omit<Choice, 'summary'>, facts: ChoiceFacts): string {
  const total = facts.catalog.types.length;
  if (total === 0) return 'The provider has no instance types';
  const shown = choice.exclusions.slice(0, shownExclusions);
  const parts = shown.map(
    (exclusion) => `${wish(exclusion, facts)} excludes ${exclusion.excluded} of ${total}${hint(exclusion, facts)}`,
  );
  const rest = choice.exclusions.length - shown.length;
  if (rest > 0) parts.push(`${rest} more requirements exclude some`);
  if (facts.shortage !== undefined) parts.unshift(facts.shortage);
  const closest = nearestType(facts.misfits);
  // With a single reason for everything, the hint has said it already.
  const name =
    closest === undefined || facts.misfits.size < total || choice.exclusions.length < 2
      ? ''
      : `. The closest is ${closest}`;
  return `No instance type fits: ${parts.join('; ')}${name}`;
}

function wish({ kind, key }: Exclusion, { requirements, requests }: ChoiceFacts): string {
  if (kind === 'resource') return `the request ${key} ${formatQuantity(requests.get(key) ?? zeroQuantity)}`;
  const set = requirements.get(key);
  return set === undefined ? key : `${key} ${describeSet(set)}`;
}

/** In brackets: what is nearest to the wish. */
function hint(exclusion: Exclusion, facts: ChoiceFacts): string {
  const { catalog } = facts;
  const { key } = exclusion;
  if (exclusion.kind === 'resource') return ` (${mostOf(key, facts)})`;
  const set = facts.requirements.get(key);
  if (set !== undefined && isEmpty(set)) return ' (the requirements on it contradict each other)';
  if (exclusion.kind === 'undefined-label') {
    return ` (no instance type has this label${didYouMean(key, new Set([...catalog.values.keys(), ...wellKnownLabels]))})`;
  }
  const text = set === undefined ? '' : nearestValues(set, catalog.values.get(key) ?? new Set());
  return text === '' ? '' : ` (${text})`;
}

function mostOf(resource: string, { catalog, misfits }: ChoiceFacts): string {
  if (!catalog.resources.has(resource)) return `no instance type has it${didYouMean(resource, catalog.resources)}`;
  // Types for which this is the only trouble say more than the largest of all.
  const others = catalog.types.filter((type) => misfits.get(type)?.every(({ key }) => key === resource));
  let best: { type: CatalogType; nanos: bigint } | undefined;
  for (const type of others.length > 0 ? others : catalog.types) {
    const nanos = (type.allocatable.get(resource) ?? zeroQuantity).nanos;
    if (best === undefined || nanos > best.nanos) best = { type, nanos };
  }
  const amount = formatQuantity(best?.type.allocatable.get(resource) ?? zeroQuantity);
  return `the maximum is ${amount}, on ${best?.type.name}`;
}

function nearestValues(set: ValueSet, known: ReadonlySet<string>): string {
  if (set.complement) {
    const numbers = [...known]
      .map(toInteger)
      .filter((value) => value !== undefined)
      .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    if (numbers.length === 0 || (set.gte === undefined && set.lte === undefined)) return valuesThere(known);
    const [smallest, largest] = [numbers[0], numbers.at(-1)];
    return `available: ${smallest === largest ? smallest : `${smallest} to ${largest}`}`;
  }
  const unknown = [...set.values].filter((value) => !known.has(value));
  const near = unknown.flatMap((value) => {
    const name = nearest(value, known);
    return name === undefined ? [] : [`the closest to "${value}" is "${name}"`];
  });
  if (near.length > 0) return near.slice(0, 2).join(', ');
  return unknown.length > 0 ? valuesThere(known) : '';
}

function valuesThere(known: ReadonlySet<string>): string {
  const shown = [...known].slice(0, shownValues);
  const rest = known.size - shown.length;
  return shown.length === 0
    ? 'no instance type has a value for it'
    : `available: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The type with the fewest reasons against it; among equals, one that the claim names. */
function nearestType(misfits: ReadonlyMap<CatalogType, Misfit[]>): string | undefined {
  let best: { name: string; reasons: Misfit[]; weight: number } | undefined;
  for (const [type, reasons] of misfits) {
    const weight = reasons.length + (reasons.some(({ key }) => key === labels.instanceType) ? 0.5 : 0);
    if (best === undefined || weight < best.weight) best = { name: type.name, reasons, weight };
  }
  return best && `${best.name}: ${cutText(best.reasons.map(({ reason }) => reason).join('; '), 240)}`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
