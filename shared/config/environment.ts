/**
 * Settings from environment variables: POOLWRIGHT_HTTP_PORT is http.port, POOLWRIGHT_CLUSTERS_EAST_1_MAX_INSTANCES is
 * clusters.east-1.maxInstances. A list is written with commas.
 */

import * as z from 'zod/v4/core';
import type { Environment } from '../base/environment.ts';
import { didYouMean } from '../base/nearest.ts';
import { upperSnake } from '../base/text.ts';
import { configSchema } from './schema.ts';
import { bare, schemaAt } from './schema-walk.ts';

const variablePrefix = 'POOLWRIGHT_';

/** They belong to the command line, which reads them before there is a configuration. */
const otherVariables = new Set(['POOLWRIGHT_CONFIG', 'POOLWRIGHT_DATA_DIR', 'POOLWRIGHT_URL', 'POOLWRIGHT_TOKEN_FILE']);

/** Kubernetes puts the address of every Service into the environment; one that is called poolwright looks like us. */
const injectedName = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$/;
const injectedValue = /^(tcp|udp|sctp):\/\//;

export interface Setting {
  variable: string;
  path: string[];
  value: unknown;
}

export interface EnvironmentSettings {
  settings: Setting[];
  unknown: { variable: string; hint: string }[];
}

export function fromEnv(env: Environment): EnvironmentSettings {
  const settings: Setting[] = [];
  const unknown: EnvironmentSettings['unknown'] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(variablePrefix) || text === undefined || otherVariables.has(variable)) continue;
    if (injectedValue.test(text)) continue;
    const path = resolvePath(configSchema, variable.slice(variablePrefix.length));
    if (path !== undefined) settings.push({ variable, path, value: readValue(path, text.trim()) });
    else if (!injectedName.test(variable)) unknown.push({ variable, hint: didYouMean(variable, fixedVariables()) });
  }
  return { settings, unknown };
}

/** Follows the schema, because both `_` and the capital letters of a field's name become `_` in a variable. */
function resolvePath(schema: z.$ZodType, rest: string): string[] | undefined {
  const at = bare(schema);
  if (at instanceof z.$ZodObject) {
    for (const [field, inner] of Object.entries(at._zod.def.shape)) {
      const name = upperSnake(field);
      if (rest === name && !(bare(inner) instanceof z.$ZodObject || bare(inner) instanceof z.$ZodRecord))
        return [field];
      const below = rest.startsWith(`${name}_`) ? resolvePath(inner, rest.slice(name.length + 1)) : undefined;
      if (below !== undefined) return [field, ...below];
    }
    return undefined;
  }
  if (at instanceof z.$ZodRecord) {
    for (let end = rest.indexOf('_'); end > 0; end = rest.indexOf('_', end + 1)) {
      const below = resolvePath(at._zod.def.valueType, rest.slice(end + 1));
      if (below !== undefined) return [rest.slice(0, end).toLowerCase().replaceAll('_', '-'), ...below];
    }
  }
  return undefined;
}

/** A variable is always a text; it is read as what the field wants, and stays a text when that fails, for the error. */
function readValue(path: string[], text: string): unknown {
  const schema = schemaAt(configSchema, path);
  if (schema instanceof z.$ZodArray)
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  if (schema === undefined || z.safeParse(schema, text).success) return text;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function fixedVariables(schema: z.$ZodType = configSchema, before = variablePrefix): string[] {
  const at = bare(schema);
  if (!(at instanceof z.$ZodObject)) return at instanceof z.$ZodRecord ? [] : [before.slice(0, -1)];
  return Object.entries(at._zod.def.shape).flatMap(([field, inner]) =>
    fixedVariables(inner, `${before}${upperSnake(field)}_`),
  );
}
