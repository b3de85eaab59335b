/** What survives a journal, a queue and a state store unchanged. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** An object with fields: neither null nor a list. */
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): value is { [key: string]: unknown };
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; undefined when it is none. */
export function asObject(value: Json | undefined): JsonObject | undefined;
export function asObject(value: unknown): { [key: string]: unknown } | undefined;
export function asObject(value: unknown): unknown {
  return isObject(value) ? value : undefined;
}
