/**
 * What an apply of the request would change at a live object, field by field. Both sides are of one API version, so only values differ.
 * Where the live object is silent, what Azure says of it counts, and then Azure's defaults. Pure.
 */
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { classOf, type DifferenceClass, isDefault } from './classes.ts';

export interface Difference {
  /** Like `agentPoolProfiles[systempool].count`. */
  field: string;
  /** Absent where nothing is said. */
  live?: Json;
  wanted?: Json;
  class: DifferenceClass;
}

export interface Compared {
  differences: readonly Difference[];
  /** Fields of the live object that the request has no word for: they stay as they are. */
  kept: readonly string[];
}

/**
 * @param after As the API server would store it: what is merged is merged, and what is replaced is replaced.
 * @param wanted What is applied.
 */
export function compareObjects(
  { spec: live = {}, status = {} }: { spec?: JsonObject; status?: JsonObject },
  after: JsonObject,
  wanted: JsonObject,
): Compared {
  const differences: Difference[] = [];
  compare('', live, after, status, differences);
  return { differences, kept: keptIn('', live, wanted, after) };
}

function compare(
  path: string,
  live: Json | undefined,
  wanted: Json | undefined,
  said: Json | undefined,
  to: Difference[],
): void {
  if (same(path, live, wanted)) return;
  // An item of a list that is not there counts as a whole; a field that is not there, field by field.
  const asFields = (value: Json | undefined): JsonObject | undefined =>
    isObject(value) ? value : value === undefined && !isItem(path) ? {} : undefined;
  const [fields, wantedFields] = [asFields(live), asFields(wanted)];
  if (fields !== undefined && wantedFields !== undefined) {
    compareFields(path, fields, wantedFields, said, to);
    return;
  }
  const [before, after] = [namedItems(live), namedItems(wanted)];
  if (before !== undefined && after !== undefined) {
    const named = namedItems(said) ?? {};
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(`${path}[${name}]`, before[name], after[name], named[name], to);
    }
    return;
  }
  if (live === undefined && wanted !== undefined && said !== undefined && same(path, said, wanted)) return;
  if ((live === undefined && isDefault(path, wanted)) || (wanted === undefined && isDefault(path, live))) return;
  if (saysNothing(live) && saysNothing(wanted)) return;
  to.push({
    field: path,
    ...(live === undefined ? {} : { live }),
    ...(wanted === undefined ? {} : { wanted }),
    class: classOf(path),
  });
}

function compareFields(
  path: string,
  live: JsonObject,
  wanted: JsonObject,
  said: Json | undefined,
  to: Difference[],
): void {
  for (const key of new Set([...Object.keys(live), ...Object.keys(wanted)])) {
    compare(join(path, key), live[key], wanted[key], isObject(said) ? said[key] : undefined, to);
  }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
const isItem = (path: string): boolean => path.endsWith(']');

/** An empty list or object asks for nothing. */
const saysNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

function namedItems(value: Json | undefined): Record<string, JsonObject> | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items = value.flatMap((one) =>
    isObject(one) && typeof one.name === 'string' ? [[one.name, one] as const] : [],
  );
  return items.length === value.length ? Object.fromEntries(items) : undefined;
}

/** Azure takes these in any spelling. */
const loose = /(^|[.\]])(location|vmSize|armId|logAnalyticsWorkspaceResourceID)$/;

function same(path: string, one: Json | undefined, other: Json | undefined): boolean {
  if (typeof one === 'string' && typeof other === 'string' && loose.test(path)) {
    return one.toLowerCase().replaceAll(' ', '') === other.toLowerCase().replaceAll(' ', '');
  }
  return one === other || (one !== undefined && other !== undefined && canonical(one) === canonical(other));
}

const canonical = (value: Json): string =>
  JSON.stringify(value, (_, inner: Json) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

function keptIn(path: string, live: JsonObject, wanted: JsonObject, after: JsonObject): string[] {
  return Object.entries(live).flatMap(([key, value]) => {
    const at = join(path, key);
    const [asked, left] = [wanted[key], after[key]];
    if (left === undefined) return [];
    if (asked === undefined) return saysNothing(value) || isDefault(at, value) ? [] : [at];
    return isObject(value) && isObject(asked) && isObject(left) ? keptIn(at, value, asked, left) : [];
  });
}
