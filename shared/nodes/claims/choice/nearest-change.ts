/**
 * The nearest change to a claim that nothing fits: the one wish that, dropped, widened or spelled rightly, would let it go on,
 * and what it would get then. Misspelled names come first, because nobody means them; then what can be had now; then the
 * requirements before the requests, because what a workload needs can rarely be less; then the price.
 */

import { defined } from '../../../base/defined.ts';
import { nearest } from '../../../base/nearest.ts';
import { formatQuantity, zeroQuantity } from '../spec/quantities.ts';
import type { Requirements } from '../spec/requirements.ts';
import { describeSet, isEmpty, type ValueSet, valueSet } from '../spec/value-set.ts';
import { labels, wellKnownLabels } from '../spec/well-known.ts';
import { type Catalog, type CatalogOffering, labelOf } from './catalog.ts';
import type { Choice, ChoiceInput } from './choice.ts';
import { chooseOfferings } from './choose.ts';
import { describeOffering, type Offering, offeringKey } from './offerings.ts';

export type NearestChange = {
  /**
   * - `rename`: the label is misspelled; `to` is its name.
   * - `respell`: a value is misspelled; `to` is the value.
   * - `allow`: the requirement should allow `to` as well; without `to` it should be dropped.
   * - `min-values`: minValues of the requirement should be dropped.
   * - `request`: the request should be lowered to `to`; without `to` it should be dropped.
   */
  kind: 'rename' | 'respell' | 'allow' | 'min-values' | 'request';
  /** The label key, or the resource name. */
  key: string;
  /** What stands there now. */
  from: string;
  to?: string;
  /** What the claim would get. */
  instanceType: string;
  zone: string;
  capacityType: string;
  pricePerHour?: number;
  /** False: it would fit, but is sold out at the moment. */
  available: boolean;
  /** The whole of it as a sentence without its full stop, for people. */
  text: string;
};

/** So many wishes are tried, the strictest first: each try looks at every type with every wish. */
const mostTries = 12;
const fewestTries = 2;
const mostWork = 600_000;
const mostValues = 3;
const longestValue = 80;

/** Undefined: it can be had as it stands, or no single change would help. */
export function nearestChange(input: ChoiceInput, choice: Choice = chooseOfferings(input)): NearestChange | undefined {
  if (choice.outcome === 'available') return undefined;
  const found = changesOf(input, choice)
    .slice(0, triesFor(input))
    .flatMap((change): Ranked[] => {
      const got = chooseOfferings({ ...input, ...change.input });
      if (got.outcome === 'impossible' || (got.outcome === 'sold-out' && choice.outcome === 'sold-out')) return [];
      const available = got.outcome === 'available';
      const offered = available ? got.candidates : got.soldOut;
      const alike = likeThoseWanted(offered, choice.soldOut[0], input.catalog);
      const best = change.kind === 'request' ? mostOf(change.key, alike, input.catalog) : alike[0];
      return best === undefined ? [] : [{ change, best, available }];
    })
    .sort(byNearness)[0];
  return found && worded(input, found);
}

function triesFor({ catalog, requirements, requests }: ChoiceInput): number {
  const work = Math.max(1, catalog.types.length * (1 + requirements.size + (requests?.size ?? 0)));
  return Math.max(fewestTries, Math.min(mostTries, Math.floor(mostWork / work)));
}

/** What would serve if it could be had is of an architecture; another one would not run what is meant for it. */
function likeThoseWanted(
  offered: readonly Offering[],
  wanted: Offering | undefined,
  { types }: Catalog,
): readonly Offering[] {
  if (wanted === undefined) return offered;
  const archs = new Map(types.map(({ name, labels: own }) => [name, own.get(labels.arch)]));
  const arch = archs.get(wanted.instanceType);
  const alike = offered.filter(({ instanceType }) => archs.get(instanceType) === arch);
  return alike.length > 0 ? alike : offered;
}

interface Change {
  kind: NearestChange['kind'];
  key: string;
  from: string;
  to?: string;
  input: Partial<ChoiceInput>;
}

interface Ranked {
  change: Change;
  best: Offering;
  available: boolean;
}

const ranks = { rename: 0, respell: 0, 'min-values': 1, allow: 3, request: 4 } as const;

/** Elsewhere is nearer than something else. */
const rankOf = ({ kind, key }: Change): number => (kind === 'allow' && key === labels.zone ? 2 : ranks[kind]);

const leadsToSpot = ({ change: { key, to }, best }: Ranked): number =>
  key === labels.capacityType && to === undefined && best.capacityType === 'spot' ? 1 : 0;

function byNearness(a: Ranked, b: Ranked): number {
  const isTypo = (one: Ranked): number => (rankOf(one.change) === 0 ? 0 : 1);
  return (
    isTypo(a) - isTypo(b) ||
    Number(b.available) - Number(a.available) ||
    // A machine that can be taken away at any time is the last resort of those who did not ask for one.
    leadsToSpot(a) - leadsToSpot(b) ||
    rankOf(a.change) - rankOf(b.change) ||
    (a.best.price ?? Number.MAX_VALUE) - (b.best.price ?? Number.MAX_VALUE)
  );
}

function changesOf(input: ChoiceInput, { exclusions }: Choice): Change[] {
  const { requirements, requests } = input;
  // Where something is bought excludes by zone and capacity type together, and only one of them is counted for it.
  const counted = exclusions.filter(({ kind }) => kind !== 'resource').map(({ key }) => key);
  const places = [labels.zone, labels.capacityType].filter((key) => requirements.has(key));
  const keys = [...new Set([...counted, ...places])];
  const resources = exclusions.filter(({ kind }) => kind === 'resource').map(({ key }) => key);
  return [
    ...keys.flatMap((key) => misspellings(input, key)),
    ...keys.flatMap((key) => {
      const set = requirements.get(key);
      return set === undefined ? [] : [{ kind: 'allow', key, from: describeSet(set), ...without(input, key) } as const];
    }),
    ...[...requirements].flatMap(([key, { minValues, ...set }]): Change[] =>
      minValues === undefined
        ? []
        : [
            {
              kind: 'min-values',
              key,
              from: String(minValues),
              input: { requirements: new Map([...requirements, [key, set]]) },
            },
          ],
    ),
    ...resources.map((key): Change => {
      const from = formatQuantity(requests?.get(key) ?? zeroQuantity);
      const fewer = new Map([...(requests ?? [])].filter(([name]) => name !== key));
      return { kind: 'request', key, from, input: { requests: fewer } };
    }),
  ];
}

/** Who asked for too much wants as much as there is; of equals, the first. */
function mostOf(resource: string, offered: readonly Offering[], { types }: Catalog): Offering | undefined {
  const amounts = new Map(types.map(({ name, allocatable }) => [name, allocatable.get(resource)?.nanos ?? 0n]));
  const amountOf = ({ instanceType }: Offering): bigint => amounts.get(instanceType) ?? 0n;
  return offered.reduce<Offering | undefined>(
    (most, one) => (most === undefined || amountOf(one) > amountOf(most) ? one : most),
    undefined,
  );
}

/** Names that are nearly one that the provider knows: `on_demand`, `karpenter.sh/capacitytype`. */
function misspellings(input: ChoiceInput, key: string): Change[] {
  const { catalog, requirements } = input;
  const set = requirements.get(key);
  if (set === undefined) return [];
  const known = catalog.values.get(key);
  if (known === undefined) {
    const name = nearest(key, new Set([...catalog.values.keys(), ...wellKnownLabels]));
    if (name === undefined || name === key || requirements.has(name)) return [];
    const renamed = without(input, key).input.requirements;
    return [{ kind: 'rename', key, from: key, to: name, input: { requirements: new Map([...renamed, [name, set]]) } }];
  }
  if (set.complement) return [];
  return [...set.values]
    .filter((value) => !known.has(value))
    .slice(0, mostValues)
    .flatMap((value): Change[] => {
      const to = nearest(value, known);
      if (to === undefined) return [];
      const values = [...set.values].map((one) => (one === value ? to : one));
      const respelled: ValueSet = { ...set, values: new Set(values) };
      return [
        {
          kind: 'respell',
          key,
          from: value,
          to,
          input: { requirements: new Map([...requirements, [key, respelled]]) },
        },
      ];
    });
}

/** Whoever asked for something lasting is not sent to a machine that can be taken away at any time. */
function without({ requirements }: ChoiceInput, key: string): { input: { requirements: Requirements } } {
  const rest = new Map([...requirements].filter(([name]) => name !== key));
  const set = requirements.get(key);
  const isLasting = key === labels.capacityType && set !== undefined && !set.complement && !set.values.has('spot');
  if (isLasting) rest.set(key, valueSet('NotIn', ['spot']));
  return { input: { requirements: rest } };
}

function worded({ catalog, requirements }: ChoiceInput, { change, best, available }: Ranked): NearestChange {
  const { kind, key, from } = change;
  const item = catalog.offerings.find((one) => one.key === offeringKey(best));
  const to = change.to ?? reached(kind, key, item, requirements, catalog);
  const what = changeText({ kind, key, from, to }, requirements.get(key));
  const price = best.price;
  return {
    kind,
    key,
    from,
    ...defined({ to }),
    instanceType: best.instanceType,
    zone: best.zone,
    capacityType: best.capacityType,
    ...defined({ pricePerHour: price }),
    available,
    text: `${what}; then ${describeOffering(best)} fits${available ? '' : ', but is out of capacity now'}`,
  };
}

/** The value by which the offering would be allowed, or the amount that it has. */
function reached(
  kind: Change['kind'],
  key: string,
  item: CatalogOffering | undefined,
  requirements: Requirements,
  catalog: Catalog,
): string | undefined {
  if (item === undefined) return undefined;
  if (kind === 'request') {
    const amount = item.type.allocatable.get(key);
    return amount === undefined || amount.nanos === 0n ? undefined : formatQuantity(amount);
  }
  const set = requirements.get(key);
  const isContradiction = set !== undefined && isEmpty(set);
  return kind === 'allow' && catalog.values.has(key) && !isContradiction ? labelOf(item, key) : undefined;
}

function changeText(
  { kind, key, from, to }: Pick<NearestChange, 'kind' | 'key' | 'from'> & { to: string | undefined },
  set?: ValueSet,
): string {
  const [was, is] = [from, to ?? ''].map((text) =>
    text.length > longestValue ? `${text.slice(0, longestValue)}…` : text,
  );
  switch (kind) {
    case 'rename':
      return `write ${is} instead of ${was}`;
    case 'respell':
      return `write "${is}" instead of "${was}" in the requirement on ${key}`;
    case 'min-values':
      return `drop minValues (${was}) of the requirement on ${key}`;
    case 'request':
      return to === undefined
        ? `drop the request for ${key} (${was})`
        : `lower the request for ${key} from ${was} to ${is}`;
    case 'allow':
      if (set !== undefined && isEmpty(set))
        return `drop one of the requirements on ${key}, which contradict each other`;
      return to === undefined
        ? `drop the requirement ${key} ${was}`
        : // What is left out by default was written by nobody.
          `allow "${is}" for ${key}${set?.complement === true ? '' : `, which is currently ${was}`}`;
  }
}
