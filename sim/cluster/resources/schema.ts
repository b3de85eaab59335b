/**
 * Structural schemas of custom resources: defaults, pruning of unknown fields, and validation with field causes.
 * CEL rules (x-kubernetes-validations) are held as far as `rules.ts` understands them.
 */
import { isObject, type Json } from '../../../shared/base/json.ts';
import {
  type Cause,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  unsupportedValue,
  wrongType,
} from '../api-error.ts';
import { copyJson, type JsonObject, own, sameJson } from '../types.ts';
import { checkRules } from './rule-walk.ts';

export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  format?: string;
  properties?: { [name: string]: Schema };
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  enum?: Json[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  nullable?: boolean;
  default?: Json;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-validations'?: { rule: string; message?: string; reason?: string }[];
  [extension: string]: unknown;
}

/** Fills in defaults, in place. Null counts as absent where the schema does not allow null but has a default. */
export function applyDefaults(value: Json | undefined, schema: Schema): void {
  if (!hasDefaults(schema)) return;
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) applyDefaults(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const current = own(value, name);
    const absent = current === undefined || (current === null && property.nullable !== true);
    if (absent && property.default !== undefined) value[name] = copyJson(property.default);
    if (value[name] !== undefined) applyDefaults(value[name], property);
  }
  if (isObject(schema.additionalProperties)) {
    for (const [name, item] of Object.entries(value)) {
      if (!own(schema.properties, name)) applyDefaults(item, schema.additionalProperties as Schema);
    }
  }
}

const defaultsWithin = new WeakMap<Schema, boolean>();

/** Most of a schema has no defaults, and every write passes here: what has none is not walked. */
function hasDefaults(schema: Schema): boolean {
  const known = defaultsWithin.get(schema);
  if (known !== undefined) return known;
  const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found = below.some((one) => isObject(one) && (one.default !== undefined || hasDefaults(one as Schema)));
  defaultsWithin.set(schema, found);
  return found;
}

/** Removes what the schema does not know, in place, and returns the paths that it removed. */
export function prune(value: Json | undefined, schema: Schema, path = '', removed: string[] = []): string[] {
  if (Array.isArray(value)) {
    if (schema.items) value.forEach((item, i) => void prune(item, schema.items ?? {}, `${path}[${i}]`, removed));
    return removed;
  }
  if (!isObject(value)) return removed;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const [name, item] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const property = own(schema.properties, name);
    if (property) prune(item, property, at, removed);
    else if (isObject(schema.additionalProperties)) prune(item, schema.additionalProperties as Schema, at, removed);
    else if (schema.additionalProperties !== true && !preserve) {
      delete value[name];
      removed.push(at);
    }
  }
  return removed;
}

/** All that is wrong with a value, with one cause per field. `old` is given on updates, for transition rules. */
export function validate(value: Json, schema: Schema, path = '', old?: Json): Cause[] {
  const causes: Cause[] = [];
  check(value, schema, path, causes);
  // As on a real server, rules are for what has the right shape.
  if (causes.length === 0) checkRules(value, schema, path, old, causes);
  else if (path === '' && hasRules(schema) && causes.some(({ reason }) => blocking.has(reason)))
    causes.push(notChecked);
  return causes;
}

/** With these a value may have any shape, so that a rule could not be evaluated. */
const blocking = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

const notChecked: Cause = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  field: '<nil>',
};

const rulesWithin = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  const known = rulesWithin.get(schema);
  if (known !== undefined) return known;
  const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    below.some((one) => isObject(one) && hasRules(one as Schema));
  rulesWithin.set(schema, found);
  return found;
}

function check(value: Json, schema: Schema, path: string, causes: Cause[]): void {
  if (value === null && schema.nullable) return;
  if (!hasType(value, schema)) {
    causes.push(typeCause(value, schema, path));
    return;
  }
  if (schema.enum && !schema.enum.some((allowed) => sameJson(allowed, value))) {
    causes.push(unsupportedValue(path, value, schema.enum));
  }
  if (typeof value === 'string') checkString(value, schema, path, causes);
  else if (typeof value === 'number') checkNumber(value, schema, path, causes);
  else if (Array.isArray(value)) checkArray(value, schema, path, causes);
  else if (isObject(value)) checkObject(value, schema, path, causes);
}

function hasType(value: Json, schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string']) return Number.isInteger(value) || typeof value === 'string';
  switch (schema.type) {
    case undefined:
      return true;
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === schema.type;
  }
}

function typeCause(value: Json, schema: Schema, path: string): Cause {
  const wanted = schema['x-kubernetes-int-or-string'] ? 'integer,string' : (schema.type ?? '');
  const actual =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : Number.isInteger(value)
          ? 'integer'
          : typeof value === 'number'
            ? 'number'
            : typeof value;
  return wrongType(path, value === null ? 'null' : actual, `${path} in body must be of type ${wanted}: "${actual}"`);
}

const patterns = new Map<string, RegExp | undefined>();

/** Patterns are RE2 in a real server. One that JavaScript cannot read is not held, rather than refusing everything. */
function patternOf(source: string): RegExp | undefined {
  if (!patterns.has(source)) {
    try {
      patterns.set(source, new RegExp(source, 'u'));
    } catch {
      patterns.set(source, undefined);
    }
  }
  return patterns.get(source);
}

const formats: { [format: string]: (value: string) => boolean } = {
  'date-time': (value) => /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value),
};

function checkString(value: string, schema: Schema, path: string, causes: Cause[]): void {
  if (schema.maxLength !== undefined && value.length > schema.maxLength) causes.push(tooLong(path, schema.maxLength));
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    const plural = schema.minLength === 1 ? '' : 's';
    causes.push(invalidValue(path, value, `${path} in body should be at least ${schema.minLength} char${plural} long`));
  }
  if (schema.pattern !== undefined && patternOf(schema.pattern)?.test(value) === false) {
    causes.push(invalidValue(path, value, `${path} in body should match '${schema.pattern}'`));
  }
  const format = schema.format === undefined ? undefined : own(formats, schema.format);
  if (format && !format(value)) {
    causes.push(
      invalidValue(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`),
    );
  }
}

function checkNumber(value: number, schema: Schema, path: string, causes: Cause[]): void {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && (value < minimum || (schema.exclusiveMinimum && value === minimum))) {
    const than = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    causes.push(invalidValue(path, value, `${path} in body should be ${than} ${minimum}`));
  }
  if (maximum !== undefined && (value > maximum || (schema.exclusiveMaximum && value === maximum))) {
    const than = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
    causes.push(invalidValue(path, value, `${path} in body should be ${than} ${maximum}`));
  }
}

function checkArray(value: Json[], schema: Schema, path: string, causes: Cause[]): void {
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    causes.push(tooMany(path, value.length, schema.maxItems));
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    causes.push(invalidValue(path, value.length, `${path} in body should have at least ${schema.minItems} items`));
  }
  const items = schema.items;
  if (items) {
    value.forEach((item, i) => void check(item, items, `${path}[${i}]`, causes));
  }
  checkUnique(value, schema, path, causes);
}

function checkUnique(value: Json[], schema: Schema, path: string, causes: Cause[]): void {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'map' && listType !== 'set') return;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  value.forEach((item, i) => {
    const identity =
      listType === 'map' && isObject(item)
        ? JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key] ?? null])))
        : JSON.stringify(item);
    if (seen.has(identity)) {
      causes.push({ reason: 'FieldValueDuplicate', message: `Duplicate value: ${identity}`, field: `${path}[${i}]` });
    }
    seen.add(identity);
  });
}

function checkObject(value: JsonObject, schema: Schema, path: string, causes: Cause[]): void {
  for (const name of schema.required ?? []) {
    if (own(value, name) === undefined) causes.push(requiredValue(path === '' ? name : `${path}.${name}`));
  }
  const names = Object.keys(value);
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties) {
    causes.push(tooMany(path, names.length, schema.maxProperties));
  }
  if (schema.minProperties !== undefined && names.length < schema.minProperties) {
    causes.push(invalidValue(path, value, `${path} in body should have at least ${schema.minProperties} properties`));
  }
  for (const name of names) {
    const item = value[name];
    const property =
      own(schema.properties, name) ??
      (isObject(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined);
    if (property === undefined || item === undefined) continue;
    const at = path === '' ? name : `${path}.${name}`;
    check(item, property, at, causes);
  }
}
