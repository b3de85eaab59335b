/**
 * Strategic merge patch for built-in kinds: a merge patch in which the lists named by `listKeys` are merged
 * by their keys instead of being replaced, with the directives $patch, $retainKeys, $deleteFromPrimitiveList
 * and $setElementOrder.
 */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { badRequest } from '../api-error.ts';
import { type JsonObject, own, sameJson } from '../types.ts';

type ListKeys = { [path: string]: string[] };

export function strategicPatch(target: Json | undefined, patch: Json, listKeys: ListKeys, path = ''): Json {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  if (patch.$patch === 'delete') return {};
  const result: JsonObject = isObject(target) ? { ...target } : {};
  const retain = patch.$retainKeys;
  if (Array.isArray(retain)) {
    for (const name of Object.keys(result)) if (!retain.includes(name)) delete result[name];
  }
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith('$') || name === '__proto__') continue;
    const at = path === '' ? name : `${path}.${name}`;
    const keys = own(listKeys, at);
    if (value === null) delete result[name];
    else if (Array.isArray(value) && keys) result[name] = mergeList(own(result, name), value, keys, listKeys, at);
    else result[name] = strategicPatch(own(result, name), value, listKeys, at);
  }
  for (const [directive, values] of Object.entries(patch)) {
    if (!Array.isArray(values)) continue;
    if (directive.startsWith('$deleteFromPrimitiveList/')) {
      const name = directive.slice('$deleteFromPrimitiveList/'.length);
      const current = result[name];
      if (Array.isArray(current)) result[name] = current.filter((item) => !values.some((gone) => sameJson(gone, item)));
    } else if (directive.startsWith('$setElementOrder/')) {
      const name = directive.slice('$setElementOrder/'.length);
      const keys = listKeys[path === '' ? name : `${path}.${name}`];
      const current = result[name];
      if (keys && Array.isArray(current)) result[name] = inOrder(current, values, keys);
    }
  }
  return result;
}

function mergeList(current: Json | undefined, patch: Json[], keys: string[], listKeys: ListKeys, path: string): Json[] {
  let merged: Json[] = Array.isArray(current) ? [...current] : [];
  if (patch.some((item) => isObject(item) && item.$patch === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item.$patch === 'replace')).map(withoutDirectives);
  }
  for (const item of patch) {
    if (isObject(item) && item.$patch === 'delete') {
      merged = merged.filter((one) => !sameIdentity(one, item, keys));
      continue;
    }
    if (isObject(item)) {
      const missing = keys.find((key) => item[key] === undefined);
      if (missing !== undefined) {
        throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${missing}`);
      }
    }
    const index = merged.findIndex((one) => sameIdentity(one, item, keys));
    if (index < 0) merged.push(withoutDirectives(item));
    else merged[index] = strategicPatch(merged[index], item, listKeys, path);
  }
  return merged;
}

/** A set of plain values has no keys: an element is its own identity. */
function sameIdentity(left: Json, right: Json, keys: string[]): boolean {
  if (keys.length === 0 || !isObject(left) || !isObject(right)) return sameJson(left, right);
  return keys.every((key) => sameJson(left[key] ?? null, right[key] ?? null));
}

function inOrder(current: Json[], order: Json[], keys: string[]): Json[] {
  const rank = (item: Json) => order.findIndex((one) => sameIdentity(one, item, keys));
  const listed = current.filter((item) => rank(item) >= 0).sort((left, right) => rank(left) - rank(right));
  return [...listed, ...current.filter((item) => rank(item) < 0)];
}

function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.startsWith('$'))
      .map(([name, item]) => [name, withoutDirectives(item)]),
  );
}
