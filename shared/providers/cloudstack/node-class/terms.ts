/**
 * Selector terms against a list. Terms are alternatives; within one, everything has to match. It is known which term found nothing, and
 * what came nearest to it.
 */
import { didYouMean } from '../../../base/nearest.ts';
import { quoteInput } from '../../../base/problems.ts';

/** A term of any of the lists. */
export interface Term {
  id?: string | undefined;
  name?: string | undefined;
  osType?: string | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
}

export interface Selectable {
  id: string;
  name: string;
  osType?: string;
}

/** How a kind of thing tells its tags: undefined where it has none of this key with this value, else what matched, for people. */
export type MatchTag<T> = (item: T, key: string, value: string) => string | undefined;

export interface Selection<T> {
  /** In the order of the terms; each thing once. */
  found: { item: T; matchedBy: string }[];
  /** For people, one text for each term that found nothing. */
  empty: string[];
}

/** @param path Of the terms in the class: `spec.networkSelectorTerms`. */
export function select<T extends Selectable>(
  terms: readonly Term[],
  items: readonly T[],
  path: string,
  matchTag: MatchTag<T>,
): Selection<T> {
  const found = new Map<string, { item: T; matchedBy: string }>();
  const empty: string[] = [];
  for (const [index, term] of terms.entries()) {
    let some = false;
    for (const item of items) {
      const matched = matches(term, item, matchTag);
      if (matched === undefined) continue;
      some = true;
      if (!found.has(keyOf(item))) found.set(keyOf(item), { item, matchedBy: matched });
    }
    if (!some) empty.push(`${path}[${index}] (${describeTerm(term)})${nearestTo(term, items, matchTag)}`);
  }
  return { found: [...found.values()], empty };
}

/** A template is listed once for each zone. */
const keyOf = (item: Selectable & { zoneId?: string }): string => `${item.id}/${item.zoneId ?? ''}`;

function matches<T extends Selectable>(term: Term, item: T, matchTag: MatchTag<T>): string | undefined {
  const { id, name, osType, tags = {} } = term;
  const by: string[] = [];
  if (id !== undefined) {
    if (item.id !== id) return undefined;
    by.push('id');
  }
  if (name !== undefined) {
    if (item.name !== name) return undefined;
    by.push('name');
  }
  if (osType !== undefined) {
    if (!isOfType(item, osType)) return undefined;
    by.push(`operating system ${item.osType}`);
  }
  for (const [key, value] of Object.entries(tags)) {
    const matched = matchTag(item, key, value);
    if (matched === undefined) return undefined;
    by.push(matched);
  }
  return by.length === 0 ? undefined : by.join(', ');
}

/** `Ubuntu 22.04` is written for `Ubuntu 22.04 LTS`. */
const isOfType = ({ osType = '' }: Selectable, wanted: string): boolean => {
  const has = osType.toLowerCase();
  const start = wanted.toLowerCase();
  return has === start || has.startsWith(`${start} `) || has.startsWith(`${start}.`);
};

const mostShown = 5;

function nearestTo<T extends Selectable>(term: Term, items: readonly T[], matchTag: MatchTag<T>): string {
  if (items.length === 0) return '; there are none';
  const { id, name, osType, tags } = term;
  if (id !== undefined && !items.some((item) => item.id === id)) {
    const named = items.find((item) => item.name === id);
    return named === undefined ? '; no such id' : '; that is a name: write it as name';
  }
  if (name !== undefined && !items.some((item) => item.name === name)) {
    const hint = didYouMean(
      name,
      items.map((item) => item.name),
    );
    return hint || `; there are ${shown(items.map((item) => item.name))}`;
  }
  if (osType !== undefined && !items.some((item) => isOfType(item, osType))) {
    const types = [...new Set(items.flatMap((item) => item.osType ?? []))];
    return didYouMean(osType, types) || `; there are ${shown(types)}`;
  }
  const wanted = Object.entries(tags ?? {});
  const judged = items.map((item) => ({
    item,
    lacks: wanted.filter(([key, value]) => matchTag(item, key, value) === undefined),
  }));
  const best = judged.reduce((a, b) => (b.lacks.length < a.lacks.length ? b : a));
  if (best.lacks.length === wanted.length) return '; none has any of these tags';
  return `; the nearest is ${best.item.name}, which lacks ${best.lacks.map(([key, value]) => `${key}=${value}`).join(', ')}`;
}

const shown = (names: readonly string[]): string => {
  const rest = names.length - mostShown;
  return `${names.slice(0, mostShown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};

/** For people: `name k8s, tags a=b c=d`. */
export function describeTerm({ id, name, osType, tags }: Term): string {
  const parts = [
    ...(id === undefined ? [] : [`id ${quoteInput(id)}`]),
    ...(name === undefined ? [] : [`name ${quoteInput(name)}`]),
    ...(osType === undefined ? [] : [`osType ${quoteInput(osType)}`]),
    ...(tags === undefined
      ? []
      : [
          `tags ${Object.entries(tags)
            .map(([key, value]) => `${key}=${value}`)
            .join(' ')}`,
        ]),
  ];
  return parts.join(', ');
}

/** Tags as networks and templates have them. */
export function resourceTag(
  { tags = [] }: { tags?: readonly { key: string; value: string }[] },
  key: string,
  value: string,
): string | undefined {
  const tag = tags.find((one) => one.key === key && (value === '*' || one.value === value));
  return tag && `tag ${tag.key}=${tag.value}`;
}
