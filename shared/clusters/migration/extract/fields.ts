/** Reads single fields of objects whose shape nobody guarantees. */
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';

export function at(object: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = object;
  for (const step of path) found = isObject(found) ? found[step] : undefined;
  return found;
}

export const textAt = (object: Json | undefined, ...path: readonly string[]): string | undefined => {
  const value = at(object, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const numberAt = (object: Json | undefined, ...path: readonly string[]): number | undefined => {
  const value = at(object, ...path);
  return typeof value === 'number' ? value : undefined;
};

export const flagAt = (object: Json | undefined, ...path: readonly string[]): boolean | undefined => {
  const value = at(object, ...path);
  return typeof value === 'boolean' ? value : undefined;
};

export const textsAt = (object: Json | undefined, ...path: readonly string[]): string[] | undefined => {
  const value = at(object, ...path);
  const texts = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  return texts.length === 0 ? undefined : texts;
};

export const objectsAt = (object: Json | undefined, ...path: readonly string[]): JsonObject[] => {
  const value = at(object, ...path);
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isObject(one)) : [];
};

/** Without fields that say nothing; undefined if nothing is left. */
export function some<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T | undefined {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as T);
}
