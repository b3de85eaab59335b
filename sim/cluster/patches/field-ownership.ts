/**
 * Field sets of server-side apply, as trees in the notation of managedFields: `f:name` for a field, `k:{…}` for the
 * element of a list that is a map, `v:…` for the element of a set. An empty tree is a field that is owned as a whole.
 */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { type JsonObject, own } from '../types.ts';

export type FieldSet = { [step: string]: FieldSet };
type ListKeys = { [path: string]: string[] };

/** What an applied configuration names. Lists without keys are owned as a whole. */
export function fieldsOf(value: Json, listKeys: ListKeys, path = ''): FieldSet {
  const set: FieldSet = {};
  if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      set[`f:${name}`] = fieldsOf(item, listKeys, path === '' ? name : `${path}.${name}`);
    }
  } else if (Array.isArray(value)) {
    const keys = listKeys[path];
    if (keys) for (const item of value) set[elementStep(item, keys)] = fieldsOf(item, listKeys, path);
  }
  return set;
}

export function elementStep(item: Json, keys: string[]): string {
  if (keys.length === 0 || !isObject(item)) return `v:${JSON.stringify(item)}`;
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key] ?? null])))}`;
}

const isWhole = (set: FieldSet): boolean => Object.keys(set).every((step) => step === '.');

/** Every owned leaf, as the steps that lead to it. */
export function leaves(set: FieldSet, prefix: string[] = []): string[][] {
  if (isWhole(set)) return prefix.length === 0 ? [] : [prefix];
  return Object.entries(set).flatMap(([step, below]) => (step === '.' ? [] : leaves(below, [...prefix, step])));
}

/** Whether the set owns the field, or anything below it. */
export function owns(set: FieldSet, steps: string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const step of steps) {
    at = own(at, step);
    if (!at) return false;
  }
  return true;
}

export function without(set: FieldSet, steps: string[]): FieldSet {
  const [first, ...rest] = steps;
  const below = first === undefined ? undefined : set[first];
  if (first === undefined || !below) return set;
  const { [first]: _gone, ...others } = set;
  if (rest.length === 0) return others;
  const reduced = without(below, rest);
  return Object.keys(reduced).length === 0 ? others : { ...others, [first]: reduced };
}

export function withLeaf(set: FieldSet, steps: string[]): FieldSet {
  const [first, ...rest] = steps;
  if (first === undefined) return set;
  return { ...set, [first]: withLeaf(set[first] ?? {}, rest) };
}

/** The index of the element that a `k:` or `v:` step means. */
function elementIndex(list: Json[], step: string): number {
  const wanted = JSON.parse(step.slice(2)) as Json;
  if (step.startsWith('v:') || !isObject(wanted)) {
    return list.findIndex((item) => JSON.stringify(item) === JSON.stringify(wanted));
  }
  const keys = Object.keys(wanted);
  return list.findIndex((item) => isObject(item) && keys.every((key) => (item[key] ?? null) === wanted[key]));
}

export function readSteps(value: Json | undefined, steps: string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of steps) {
    if (step.startsWith('f:')) at = isObject(at) ? own(at, step.slice(2)) : undefined;
    else at = Array.isArray(at) ? at[elementIndex(at, step)] : undefined;
  }
  return at;
}

/** Removes the field that the steps lead to; what becomes empty by that goes too. Returns a new value. */
export function removeSteps(value: Json, steps: string[]): Json {
  const [first, ...rest] = steps;
  if (first === undefined) return value;
  if (first.startsWith('f:')) {
    if (!isObject(value)) return value;
    const name = first.slice(2);
    const { [name]: _gone, ...others } = value;
    const below = own(value, name);
    if (below === undefined || rest.length === 0) return others;
    const reduced = removeSteps(below, rest);
    return isEmpty(reduced) ? others : { ...others, [name]: reduced };
  }
  if (!Array.isArray(value)) return value;
  const index = elementIndex(value, first);
  const element = value[index];
  if (element === undefined) return value;
  const reduced = rest.length === 0 ? null : removeSteps(element, rest);
  return reduced === null || onlyKeys(reduced, first)
    ? value.filter((_, i) => i !== index)
    : value.map((item, i) => (i === index ? reduced : item));
}

const isEmpty = (value: Json): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

/** An element of which nothing but its identity is left was owned as a whole by who let it go. */
function onlyKeys(value: Json, step: string): boolean {
  if (!isObject(value) || !step.startsWith('k:')) return false;
  const keys = new Set(Object.keys(JSON.parse(step.slice(2)) as JsonObject));
  return Object.keys(value).every((key) => keys.has(key));
}
