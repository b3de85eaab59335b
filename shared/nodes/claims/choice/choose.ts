/**
 * The choice: which offerings can serve a claim, best first, and for every type that can't, why not. Sold out is told
 * apart from impossible: the one is worth waiting for, the other needs the user.
 */

import { defined } from '../../../base/defined.ts';
import { cutText } from '../../../base/text.ts';
import { isRestrictedLabel } from '../spec/labels.ts';
import { zeroQuantity } from '../spec/quantities.ts';
import type { Requirements } from '../spec/requirements.ts';
import { missingReason, noResources, type Resources } from '../spec/resources.ts';
import { describeSet, has, isEmpty, type ValueSet } from '../spec/value-set.ts';
import { labels } from '../spec/well-known.ts';
import { type Catalog, type CatalogOffering, type CatalogType, labelOf } from './catalog.ts';
import type { Choice, ChoiceInput, Exclusion, Misfit, Rejection, UnavailableMark } from './choice.ts';
import type { Offering } from './offerings.ts';
import { byPreference } from './preference.ts';
import { isTooDear, type PriceLimit, priceLimit, whyTooDear } from './price-limit.ts';
import { describeChoice } from './summary.ts';

/** The size of the disk that a claim asks for. Providers make disks to measure, so no type is judged by it. */
export const diskSizeResource = 'storage';

const longestReason = 300;

interface Wishes {
  /** On labels that types have. */
  ofType: [string, ValueSet][];
  /** On labels that hang on where a machine is bought. */
  ofOffering: [string, ValueSet][];
  /** On labels that nobody has or can have: not the user's own to define, or defined by wishes that contradict. */
  undefinedLabels: [string, ValueSet][];
  zone: ValueSet | undefined;
  capacityType: ValueSet | undefined;
  requests: Resources;
  /** Descriptions, made once and only when needed. */
  describe: (key: string, set: ValueSet) => string;
  /** Hundreds of types share a few values: each reason is worded once. */
  reasons: Map<string, Map<string | bigint | undefined, Misfit>>;
}

export function chooseOfferings(input: ChoiceInput): Choice {
  const { catalog, requirements } = input;
  const wishes = sortWishes(input);
  const misfits = new Map<CatalogType, Misfit[]>();
  for (const type of catalog.types) {
    const found = misfitsOf(type, wishes);
    if (found.length > 0) misfits.set(type, found);
  }

  const found: CatalogOffering[] = [];
  const soldOut: SoldOut[] = [];
  for (const item of catalog.offerings) {
    if (misfits.has(item.type) || !offeringFits(item, wishes)) continue;
    const mark = input.isUnavailable?.(item.offering, item.key, item.type);
    if (item.offering.available && mark === undefined) found.push(item);
    else soldOut.push({ item, offering: withMark(item.offering, mark) });
  }
  const { available, tooDear, limit } = withinPrice(input, found, soldOut);
  const refusedFirst = firstOf(soldOut, input);
  soldOut.sort((a, b) => (a.offering.unavailableUntil ?? Infinity) - (b.offering.unavailableUntil ?? Infinity) || 0);

  const shortage = minValuesShortage(requirements, catalog, available);
  const strict = input.minValuesPolicy !== 'BestEffort';
  const short = shortage !== undefined && strict ? shortage : undefined;
  // Waiting helps only if enough values are there once everything is back.
  const everything = [...available, ...soldOut.map(({ item }) => item)];
  const hopeless =
    everything.length === 0 || (short && minValuesShortage(requirements, catalog, everything) !== undefined);
  const outcome = available.length > 0 && short === undefined ? 'available' : hopeless ? 'impossible' : 'sold-out';
  const retryAt = soldOut[0]?.offering.unavailableUntil;
  const preferred = byPreference(outcome === 'available' ? available : [], input);
  const answer = {
    outcome,
    candidates: preferred.candidates.map(({ offering }) => offering),
    alternatives: preferred.alternatives.map(({ offering }) => offering),
    soldOut: soldOut.map(({ offering }) => offering),
    rejections: rejectionsOf(catalog, misfits, { available, soldOut, tooDear, limit }, short),
    exclusions: countExclusions(misfits),
    minValuesRelaxed: shortage !== undefined && !strict && available.length > 0,
    ...defined({ retryAt, refusedFirst }),
    ...(tooDear.length === 0 ? {} : { tooDear: { offerings: tooDear.length, ...defined({ ceiling: limit.ceiling }) } }),
  } as const;
  return {
    ...answer,
    summary: describeChoice(answer, { catalog, requirements, requests: wishes.requests, misfits, shortage: short }),
  };
}

interface SoldOut {
  item: CatalogOffering;
  offering: Offering;
}

/** What may be taken at its price. Who asks for many values wants the width, and gets it. */
function withinPrice(
  { requirements, catalog, maxPriceRatio }: ChoiceInput,
  found: CatalogOffering[],
  soldOut: readonly SoldOut[],
): { available: CatalogOffering[]; tooDear: CatalogOffering[]; limit: PriceLimit } {
  const everything = [...found, ...soldOut.map(({ item }) => item)];
  const overQuota = soldOut.filter(({ offering }) => offering.overQuota).map(({ item }) => item);
  const limit = priceLimit(everything, maxPriceRatio, overQuota);
  const tooDear = found.filter((item) => isTooDear(item, limit));
  if (tooDear.length === 0) return { available: found, tooDear, limit };
  const available = found.filter((item) => !isTooDear(item, limit));
  const isShort = (items: readonly CatalogOffering[]) => minValuesShortage(requirements, catalog, items) !== undefined;
  if (isShort(available) && !isShort(found)) return { available: found, tooDear: [], limit };
  return { available, tooDear, limit };
}

/** The one that would be taken if all of them were there. */
function firstOf(soldOut: readonly SoldOut[], input: ChoiceInput): Offering | undefined {
  const first = byPreference(
    soldOut.map(({ item }) => item),
    input,
  ).candidates[0];
  return soldOut.find(({ item }) => item === first)?.offering;
}

function sortWishes({ catalog, requirements, requests = noResources }: ChoiceInput): Wishes {
  const texts = new Map<string, string>();
  const wishes: Wishes = {
    ofType: [],
    ofOffering: [],
    undefinedLabels: [],
    zone: undefined,
    capacityType: undefined,
    requests,
    reasons: new Map(),
    describe: (key, set) => {
      const text = texts.get(key) ?? describeSet(set);
      texts.set(key, text);
      return text;
    },
  };
  if (requests.has(diskSizeResource)) {
    wishes.requests = new Map([...requests].filter(([name]) => name !== diskSizeResource));
  }
  for (const [key, set] of requirements) {
    if (key === labels.zone) wishes.zone = set;
    else if (key === labels.capacityType) wishes.capacityType = set;
    else if (catalog.offeringLabels.has(key)) wishes.ofOffering.push([key, set]);
    else if (catalog.values.has(key)) wishes.ofType.push([key, set]);
    else if (isEmpty(set) || (!set.absent && !isUsersOwn(key, catalog))) wishes.undefinedLabels.push([key, set]);
  }
  return wishes;
}

/**
 * Whether a label that no type has is the user's to define: then the node simply gets it. Labels of Kubernetes, and of
 * domains that the provider uses, are not; asking for one that nobody has is a mistake.
 */
function isUsersOwn(key: string, catalog: Catalog): boolean {
  if (key === labels.nodePool) return true;
  if (isRestrictedLabel(key)) return false;
  const slash = key.indexOf('/');
  return slash < 0 || !catalog.domains.has(key.slice(0, slash));
}

function misfitsOf(type: CatalogType, wishes: Wishes): Misfit[] {
  const misfits: Misfit[] = [];
  for (const [key, set] of wishes.ofType) {
    const value = type.labels.get(key);
    if (has(set, value)) continue;
    const is = value === undefined ? 'is missing' : `is ${value}`;
    const wanted = wishes.describe(key, set);
    misfits.push(worded(wishes, 'label', key, value, () => `${key} ${is}, wanted ${wanted}`, wanted));
  }
  for (const [key, set] of wishes.undefinedLabels) {
    const reason = () => `${key} is missing, wanted ${wishes.describe(key, set)}`;
    misfits.push(worded(wishes, 'undefined-label', key, undefined, reason));
  }
  for (const [resource, requested] of wishes.requests) {
    const available = type.allocatable.get(resource) ?? zeroQuantity;
    if (requested.nanos <= available.nanos) continue;
    const reason = () => missingReason(resource, requested, available);
    misfits.push(worded(wishes, 'resource', resource, available.nanos, reason));
  }
  const place = placeMisfit(type, wishes);
  if (place !== undefined) misfits.push(place);
  return misfits;
}

function worded(
  wishes: Wishes,
  kind: Misfit['kind'],
  key: string,
  value: string | bigint | undefined,
  reason: () => string,
  wanted?: string,
): Misfit {
  // A label and a resource may have the same name, but a text is never equal to a bigint.
  const ofKey = wishes.reasons.get(key) ?? new Map<string | bigint | undefined, Misfit>();
  const misfit = ofKey.get(value) ?? { kind, key, reason: reason(), ...defined({ wanted }) };
  ofKey.set(value, misfit);
  wishes.reasons.set(key, ofKey);
  return misfit;
}

/** Whether no offering of the type is in a wanted zone under a wanted capacity type. */
function placeMisfit(type: CatalogType, wishes: Wishes): Misfit | undefined {
  if (type.offerings.some((item) => offeringFits(item, wishes))) return undefined;
  if (type.offerings.length === 0) return { kind: 'label', key: labels.zone, reason: 'no zone offers it' };
  const seen = (key: string): string =>
    [...new Set(type.offerings.map((item) => labelOf(item, key) ?? 'none'))].join(', ');
  const wanted = placeWishes(wishes);
  for (const [key, set] of wanted) {
    if (type.offerings.some((item) => has(set, labelOf(item, key)))) continue;
    return { kind: 'label', key, reason: `${key} is ${seen(key)}, wanted ${wishes.describe(key, set)}` };
  }
  const together = wanted.map(([key, set]) => wishes.describe(key, set)).join(' with ');
  const none =
    wishes.ofOffering.length === 0 ? 'no zone offers the wanted capacity type' : 'no single offering has all of it';
  return { kind: 'label', key: labels.zone, reason: `${none} (wanted ${together})` };
}

const placeWishes = ({ zone, capacityType, ofOffering }: Wishes): [string, ValueSet][] => [
  ...(zone === undefined ? [] : [[labels.zone, zone] satisfies [string, ValueSet]]),
  ...ofOffering,
  ...(capacityType === undefined ? [] : [[labels.capacityType, capacityType] satisfies [string, ValueSet]]),
];

const offeringFits = (item: CatalogOffering, { zone, capacityType, ofOffering }: Wishes): boolean =>
  (zone === undefined || has(zone, labelOf(item, labels.zone))) &&
  (capacityType === undefined || has(capacityType, item.offering.capacityType)) &&
  ofOffering.every(([key, set]) => has(set, labelOf(item, key)));

function withMark(offering: Offering, mark: UnavailableMark | undefined): Offering {
  const reason = mark?.reason ?? offering.unavailableReason;
  // Both must be over before it can be had.
  const until = Math.max(mark?.until ?? 0, offering.unavailableUntil ?? 0);
  return {
    ...offering,
    available: false,
    ...defined({ unavailableReason: reason }),
    ...(until === 0 ? {} : { unavailableUntil: until }),
    ...(mark?.quota ? { overQuota: true } : {}),
  };
}

/** Which minValues the offerings do not reach, if any, as a sentence. */
function minValuesShortage(
  requirements: Requirements,
  catalog: Catalog,
  items: readonly CatalogOffering[],
): string | undefined {
  for (const [key, { minValues }] of requirements) {
    // A label of the user's own has the values that the claim lists; that those are enough was checked when it was read.
    if (minValues === undefined || !catalog.values.has(key)) continue;
    const values = new Set<string>();
    for (const item of items) {
      const value = labelOf(item, key);
      if (value !== undefined) values.add(value);
      if (values.size >= minValues) break;
    }
    if (values.size < minValues)
      return `${key} needs at least ${minValues} values (minValues), but only ${values.size} fit`;
  }
  return undefined;
}

function rejectionsOf(
  catalog: Catalog,
  misfits: ReadonlyMap<CatalogType, Misfit[]>,
  fitting: { available: CatalogOffering[]; soldOut: SoldOut[]; tooDear: CatalogOffering[]; limit: PriceLimit },
  shortage: string | undefined,
): Rejection[] {
  const { available, soldOut, tooDear, limit } = fitting;
  const chosen = new Set(available.map(({ type }) => type));
  const firstSoldOut = new Map<CatalogType, Offering>();
  for (const { item, offering } of soldOut) if (!firstSoldOut.has(item.type)) firstSoldOut.set(item.type, offering);
  // The cheapest of each type: they are in the order of their prices.
  const cheapestTooDear = new Map(tooDear.toReversed().map((item) => [item.type, item]));
  const rejections: Rejection[] = [];
  for (const type of catalog.types) {
    const instanceType = type.name;
    const found = misfits.get(type);
    const first = found?.[0];
    if (found !== undefined && first !== undefined) {
      const reason =
        found.length === 1 ? first.reason : cutText(found.map((one) => one.reason).join('; '), longestReason);
      const kind = first.kind === 'resource' ? 'resource' : 'requirement';
      rejections.push({ instanceType, kind, reason, requirement: first.key, misfits: found });
    } else if (chosen.has(type)) {
      if (shortage !== undefined) rejections.push({ instanceType, kind: 'min-values', reason: shortage });
    } else if (cheapestTooDear.has(type)) {
      rejections.push({ instanceType, kind: 'price', reason: whyTooDear(cheapestTooDear.get(type)!, limit) });
    } else {
      const { unavailableUntil: until, unavailableReason, overQuota } = firstSoldOut.get(type) ?? {};
      const time = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
      const why = unavailableReason === undefined ? '' : `: ${unavailableReason}`;
      const reason = cutText(`${overQuota ? 'over quota' : 'out of capacity'}${time}${why}`, longestReason);
      rejections.push({ instanceType, kind: 'sold-out', reason, ...defined({ until }) });
    }
  }
  return rejections;
}

/** Per wish, how many types it excludes by itself; the strictest first. */
function countExclusions(misfits: ReadonlyMap<CatalogType, Misfit[]>): Exclusion[] {
  const ofLabels = new Map<string, Exclusion>();
  const ofResources = new Map<string, Exclusion>();
  for (const found of misfits.values()) {
    for (const { kind, key } of found) {
      const counts = kind === 'resource' ? ofResources : ofLabels;
      const exclusion = counts.get(key);
      if (exclusion === undefined) counts.set(key, { kind, key, excluded: 1 });
      else exclusion.excluded++;
    }
  }
  return [...ofLabels.values(), ...ofResources.values()].sort(
    (a, b) => b.excluded - a.excluded || (a.key < b.key ? -1 : 1),
  );
}
