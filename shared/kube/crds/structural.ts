/**
 * Turns a zod schema into a structural schema of Kubernetes. Both are JSON Schema, but of different dialects: Kubernetes
 * has no closed objects (it prunes instead), no rules for the names of a map, no `const`, and numbers without the bounds
 * of JavaScript.
 */
import { z } from 'zod';
import { isObject, type Json } from '../../base/json.ts';

type Fields = { [key: string]: Json };

export function structuralSchema(schema: z.ZodType): Fields {
  // As input: a field with a default need not be written, so it is not required.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', target: 'draft-7' });
  return structural(json as Fields, '');
}

/** The order of the keys in the generated files: what it is, then what it allows, then what is inside. */
const order = ['description', 'type', 'format', 'default', 'enum', 'required', 'properties'];

function structural(schema: Fields, path: string): Fields {
  const result: Fields = {};
  for (const [key, value] of Object.entries(schema)) {
    const kept = keep(key, value, schema, `${path}/${key}`);
    if (kept !== undefined) result[key] = kept;
    if (key === 'exclusiveMinimum') result.minimum = value;
    if (key === 'exclusiveMaximum') result.maximum = value;
  }
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.fromEntries(Object.entries(result).sort(([a], [b]) => rank(a) - rank(b)));
}

function keep(key: string, value: Json, schema: Fields, path: string): Json | undefined {
  switch (key) {
    case 'properties':
      return mapFields(value, (property, name) => structural(property, `${path}/${name}`));
    case 'items':
      return structural(asFields(value, path), path);
    case 'additionalProperties':
      // False would close the object: the API server prunes what it does not know, and refuses a schema that says so. An object that keeps
      // what it does not know says that in its own way.
      return value === false || schema['x-kubernetes-preserve-unknown-fields'] === true
        ? undefined
        : structural(asFields(value, path), path);
    case 'type':
      if (Array.isArray(value)) throw new TypeError(`${path}: Kubernetes knows no unions`);
      return value;
    case 'anyOf':
      if (schema['x-kubernetes-int-or-string'] !== true) throw new TypeError(`${path}: Kubernetes knows no unions`);
      return [{ type: 'integer' }, { type: 'string' }];
    case 'minimum':
      return value === Number.MIN_SAFE_INTEGER ? undefined : value;
    case 'maximum':
      return value === Number.MAX_SAFE_INTEGER ? undefined : value;
    // Kubernetes has them in the words of an older draft: the limit as usual, and a flag that it does not count.
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return true;
    case 'propertyNames':
      return undefined;
    case 'allOf':
    case 'oneOf':
    case 'not':
    case 'const':
    case '$ref':
    case 'definitions':
      throw new TypeError(`${path}: a structural schema has no ${key}`);
    default:
      return value;
  }
}

function mapFields(value: Json, change: (field: Fields, name: string) => Fields): Fields {
  const fields = asFields(value, 'properties');
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(asFields(field, name), name)]));
}

function asFields(value: Json, path: string): Fields {
  if (isObject(value)) return value;
  throw new TypeError(`${path}: is no schema`);
}
