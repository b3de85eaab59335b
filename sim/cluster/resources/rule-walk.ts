/** Goes through an object for the CEL rules of its schema. It comes after the schema itself: rules may trust in types. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import type { Cause } from '../api-error.ts';
import { own, sameJson } from '../types.ts';
import { compileRule } from './rules.ts';
import type { Schema } from './schema.ts';

type DeclaredRule = NonNullable<Schema['x-kubernetes-validations']>[number];

/** Adds what is broken to `causes`. What has not changed is not judged again: a real server holds nobody to rules of later. */
export function checkRules(value: Json, schema: Schema, path: string, old: Json | undefined, causes: Cause[]): void {
  if (!hasRules(schema) || (old !== undefined && sameJson(value, old))) return;
  for (const declared of schema['x-kubernetes-validations'] ?? []) {
    const broken = compileRule(declared.rule)?.(value, old, schema);
    if (broken !== undefined) causes.push(brokenRule(path, declared, broken.error));
  }
  if (Array.isArray(value)) checkItems(value, schema, path, old, causes);
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const property = own(schema.properties, name) ?? schema.additionalProperties;
      if (!isObject(property) || item === undefined) continue;
      const before = isObject(old) ? own(old, name) : undefined;
      checkRules(item, property as Schema, path === '' ? name : `${path}.${name}`, before, causes);
    }
  }
}

function checkItems(
  value: readonly Json[],
  schema: Schema,
  path: string,
  old: Json | undefined,
  causes: Cause[],
): void {
  const { items } = schema;
  if (items === undefined) return;
  // Elements of a list have an old self only where the list is a map: by position they cannot be told apart.
  const keys = schema['x-kubernetes-list-type'] === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined;
  const keyOf = (item: Json): string =>
    JSON.stringify(keys?.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
  value.forEach((item, index) => {
    const before = keys && Array.isArray(old) ? old.find((one) => keyOf(one) === keyOf(item)) : undefined;
    checkRules(item, items, `${path}[${index}]`, before, causes);
  });
}

/** The value is not shown: a rule may be about much of the object. */
function brokenRule(field: string, { rule, message }: DeclaredRule, error: string | undefined): Cause {
  const text = message ?? `failed rule: ${rule}`;
  const why = error === undefined ? text : `${error} evaluating rule: ${text}`;
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field };
}

const rulesWithin = new WeakMap<Schema, boolean>();

/** Most of a schema has no rules, and every write passes here. */
function hasRules(schema: Schema): boolean {
  const known = rulesWithin.get(schema);
  if (known !== undefined) return known;
  const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found =
    schema['x-kubernetes-validations'] !== undefined || below.some((one) => isObject(one) && hasRules(one as Schema));
  rulesWithin.set(schema, found);
  return found;
}
