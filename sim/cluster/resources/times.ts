/** Times as a server in Go writes them back, in whatever form they were sent: in UTC, to the second. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import type { JsonObject } from '../types.ts';
import type { Schema } from './schema.ts';

/** A text that is not a time stays as it is. */
export function wireTime(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : `${new Date(at).toISOString().slice(0, -5)}Z`;
}

/** The times of metadata that only the server sets: another form is the same time, another fraction of a second is not. */
export function settleMetadataTimes(metadata: JsonObject): void {
  for (const field of ['creationTimestamp', 'deletionTimestamp']) {
    const value = metadata[field];
    if (typeof value === 'string' && Date.parse(value) % 1000 === 0) metadata[field] = wireTime(value);
  }
  if (Array.isArray(metadata.managedFields)) {
    metadata.managedFields = metadata.managedFields.map((one) =>
      isObject(one) && typeof one.time === 'string' ? { ...one, time: wireTime(one.time) } : one,
    );
  }
}

/** The same for every time that the schema of a built-in kind knows. What has none stays the very same object. */
export function settleTimes(value: Json, schema: Schema): Json {
  if (typeof value === 'string') return schema.format === 'date-time' ? wireTime(value) : value;
  const { items, properties = {} } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    const settled = value.map((one) => settleTimes(one, items));
    return settled.some((one, at) => one !== value[at]) ? settled : value;
  }
  if (!isObject(value)) return value;
  const changed = Object.entries(properties).flatMap(([name, property]) => {
    const before = value[name];
    const after = before === undefined ? before : settleTimes(before, property);
    return after === undefined || after === before ? [] : [[name, after] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}
