/**
 * Writes docs/configuration.md from the schema, so that fields, limits and defaults can't be wrong there. What a field is
 * for is in scripts/generate/configuration-texts.ts and in the texts.ts of each provider. Run it after a change to the schema or to a manifest; a
 * test fails meanwhile.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/v4/core';
import { formatSeconds } from '../../shared/base/durations.ts';
import { configSchema } from '../../shared/config/schema.ts';
import { bare } from '../../shared/config/schema-walk.ts';
import { fieldTexts, intro, providerNotes, sections } from './configuration-texts.ts';

export const configurationPage = join(import.meta.dirname, '../../docs/configuration.md');

interface Field {
  path: string;
  schema: z.$ZodType;
}

/** Every field that can be set; `<name>` stands for a name of one's own choice. */
export function configurationFields(schema: z.$ZodType = configSchema, path = ''): Field[] {
  const at = bare(schema);
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (at instanceof z.$ZodObject) {
    const shape = Object.entries(at._zod.def.shape);
    return shape.flatMap(([name, inner]) => configurationFields(inner, below(name)));
  }
  if (at instanceof z.$ZodRecord) return configurationFields(at._zod.def.valueType, below('<name>'));
  return [{ path, schema: at }];
}

/** The least that can be said, to see what is filled in. */
const least = configSchema.parse({
  clusters: { name: { server: 'http://127.0.0.1' } },
  providers: { name: { type: 'sim', url: 'http://127.0.0.1' } },
});

/** What had to be said for that: no defaults. */
const said: ReadonlySet<string> = new Set(['clusters.<name>.server', 'providers.<name>.url']);

const required: ReadonlySet<string> = new Set(['providers.<name>.type', 'http.callers.<name>.role']);

export async function configurationDocs(): Promise<string> {
  const fields = configurationFields();
  const texts = await fieldTexts();
  const notes = await providerNotes();
  const tables = sections.map(({ title, prefix, text }) => {
    const rows = fields
      .filter(({ path }) => (prefix === '' ? !path.includes('.') : path.startsWith(prefix)))
      .map(({ path, schema }) => {
        const { allowed, shown } = describe(schema, said.has(path) ? undefined : valueAt(path));
        return `| \`${path}\` | ${allowed} | ${required.has(path) ? 'required' : shown} | ${texts[path] ?? ''} |`;
      });
    return [
      `## ${title}`,
      '',
      text,
      '',
      ...(prefix === 'providers.<name>.' ? notes.flatMap((note) => [note, '']) : []),
      '| field | allowed | default | what it does |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n');
  });
  return `${[intro, ...tables].join('\n\n')}\n`;
}

function valueAt(path: string): unknown {
  const keys = path.replace('<name>', 'name').split('.');
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], least);
}

function describe(schema: z.$ZodType, value: unknown): { allowed: string; shown: string } {
  const plain = value === undefined ? '–' : `\`${String(value)}\``;
  if (schema instanceof z.$ZodBoolean) return { allowed: 'true, false', shown: plain };
  if (schema instanceof z.$ZodEnum) return { allowed: Object.values(schema._zod.def.entries).join(', '), shown: plain };
  if (schema instanceof z.$ZodArray) return { allowed: 'list of names', shown: plain };
  if (schema instanceof z.$ZodNumber) {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = z.toJSONSchema(schema);
    const most = maximum ?? exclusiveMaximum;
    const allowed = minimum === undefined ? `more than ${exclusiveMinimum}, at most ${most}` : `${minimum} to ${most}`;
    return { allowed, shown: plain };
  }
  if (schema instanceof z.$ZodString) return { allowed: 'text', shown: plain };
  // Durations and other unions check themselves; what they refuse a wrong value with says what is allowed.
  const refused = z.safeParse(schema, { no: 'such value' }).error?.issues[0]?.message ?? '';
  const [, from, to] = /from (\S+) to (\S+)$/.exec(refused) ?? [];
  if (from === undefined) return { allowed: refused.replace(/^must be /, ''), shown: plain };
  return { allowed: `${from} to ${to}`, shown: typeof value === 'number' ? `\`${formatSeconds(value)}\`` : plain };
}

if (import.meta.main) {
  writeFileSync(configurationPage, await configurationDocs());
  console.log('docs/configuration.md is up to date');
}
