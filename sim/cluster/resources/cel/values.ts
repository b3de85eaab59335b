/** What rules see of an object. The schema says what a number or a text is: an int and a double don't mix in CEL. */
import { isObject, type Json } from '../../../../shared/base/json.ts';
import { own } from '../../types.ts';
import type { Schema } from '../schema.ts';
import { celEnvironment } from './environment.ts';

const durationOf = celEnvironment.parse('duration(self)');

/** The same value where nothing in it reads differently: most of an object is text. */
export function celValue(value: Json, schema: Schema | undefined): unknown {
  if (typeof value === 'number') return numberOf(value, schema);
  if (typeof value === 'string') return textOf(value, schema);
  if (Array.isArray(value)) return changed(value, (item) => celValue(item, schema?.items));
  if (isObject(value)) return fieldsOf(value, schema);
  return value;
}

function numberOf(value: number, schema: Schema | undefined): number | bigint {
  return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function textOf(value: string, schema: Schema | undefined): unknown {
  if (schema?.format === 'date-time') {
    const time = new Date(value);
    return Number.isNaN(time.getTime()) ? value : time;
  }
  if (schema?.format !== 'duration') return value;
  try {
    return durationOf({ self: value });
  } catch {
    return value;
  }
}

function changed(items: readonly Json[], read: (item: Json) => unknown): unknown {
  const seen = items.map(read);
  return seen.some((item, index) => item !== items[index]) ? seen : items;
}

function fieldsOf(value: { [name: string]: Json }, schema: Schema | undefined): unknown {
  let isChanged = false;
  const seen: [string, unknown][] = Object.entries(value).map(([name, item]) => {
    const property = own(schema?.properties, name);
    const inner = property ?? schema?.additionalProperties;
    const key = property === undefined ? name : escaped(name);
    const read = celValue(item, isObject(inner) ? (inner as Schema) : undefined);
    if (key !== name || read !== item) isChanged = true;
    return [key, read];
  });
  return isChanged ? Object.fromEntries(seen) : value;
}

/** Names of fields that are no names in CEL are written so in rules. */
function escaped(name: string): string {
  if (keywords.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part);
}

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const keywords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return'.split(' '),
);
