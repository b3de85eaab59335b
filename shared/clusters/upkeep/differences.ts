/**
 * Where something differs from its manifest. Pure. Only what the manifest says is compared: the rest has defaults, which are the cloud's. What
 * is not told about a field is no difference either.
 */
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { cutText } from '../../base/text.ts';

export interface Difference {
  field: string;
  wanted: string;
  found: string;
}

/** They say who owns an object, what the operator writes elsewhere, and what has another form once it is read. */
const notCompared = new Set(['owner', 'operatorSpec', 'azureName', 'adminPassword']);
/** Somebody else moves them while the pool scales itself. */
const scaled = new Set(['count']);
const longestValue = 200;

/** @param found In the order of trust: the first that tells about a field decides. */
export function differencesOf(wanted: JsonObject, found: readonly JsonObject[]): Difference[] {
  const differences: Difference[] = [];
  for (const one of found) {
    for (const difference of compareObjects(wanted, one, '')) {
      if (!differences.some(({ field }) => field === difference.field)) differences.push(difference);
    }
  }
  return differences;
}

function compareObjects(wanted: JsonObject, found: JsonObject, prefix: string): Difference[] {
  const scalesItself = wanted.enableAutoScaling === true || found.enableAutoScaling === true;
  return Object.entries(wanted).flatMap(([key, value]) => {
    if (value === undefined || notCompared.has(key) || (scalesItself && scaled.has(key))) return [];
    return compare(value, found[key], `${prefix}${key}`, key);
  });
}

function compare(wanted: Json, found: Json | undefined, field: string, key: string): Difference[] {
  if (found === undefined || found === null) return [];
  if (Array.isArray(wanted)) return Array.isArray(found) ? compareLists(wanted, found, field) : [];
  if (isObject(wanted)) return isObject(found) ? compareObjects(wanted as JsonObject, found, `${field}.`) : [];
  if (isObject(found) || Array.isArray(found)) return [];
  return isSame(wanted, found, key) ? [] : [{ field, wanted: shown(wanted), found: shown(found) }];
}

/** Lists of things with names are compared by name, others as sets: Azure keeps no order. */
function compareLists(wanted: readonly Json[], found: readonly Json[], field: string): Difference[] {
  if (!wanted.every((one) => isObject(one) && typeof one.name === 'string')) {
    if (wanted.some((one) => isObject(one)) || found.some((one) => isObject(one))) return [];
    const [asked, there] = [wanted, found].map((list) => list.map(plain).sort());
    const same = JSON.stringify(asked) === JSON.stringify(there);
    return same ? [] : [{ field, wanted: shown(wanted), found: shown(found) }];
  }
  return wanted.flatMap((one) => {
    const { name } = one as JsonObject;
    const at = `${field}[${String(name)}]`;
    const there = found.find((other) => isObject(other) && plain(other.name) === plain(name));
    if (!isObject(there)) return [{ field: at, wanted: 'present', found: 'absent' }];
    return compareObjects(one as JsonObject, there, `${at}.`);
  });
}

/** Azure writes words in a case of its own, and locations with spaces. */
const plain = (value: Json | undefined): string => String(value).toLowerCase().replaceAll(' ', '');

function isSame(wanted: Json, found: Json, key: string): boolean {
  if (plain(wanted) === plain(found)) return true;
  // What asks for 1.35 gets 1.35.3.
  return /version$/i.test(key) && plain(found).startsWith(`${plain(wanted)}.`);
}

const shown = (value: Json | readonly Json[]): string =>
  cutText(typeof value === 'string' ? value : JSON.stringify(value), longestValue);
