/**
 * Writes a JSON Schema and an example per event to events/generated/, for producers in other languages and for the
 * docs. Run it after a change to events/; a test fails while the files are stale.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { catalog, type EventType, eventTypes } from '../../events/catalog.ts';
import { makeEvent } from '../../events/make.ts';

export const generatedDirectory = join(import.meta.dirname, '../../events/generated');

/** File name to content. */
export function generatedFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const type of eventTypes) {
    const name = type.replace(/^dev\.poolwright\./, '').replaceAll('.', '-');
    files.set(`${name}.schema.json`, format(schemaOf(type)));
    files.set(`${name}.example.json`, format(exampleOf(type)));
  }
  return files;
}

function schemaOf(type: EventType) {
  const { schema, title, description } = catalog[type];
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { $schema, $id: `urn:poolwright:event:${type}`, title, description, ...rest };
}

function exampleOf(type: EventType) {
  const { subject, data } = catalog[type].example;
  const time = Date.UTC(2026, 0, 1, 12);
  return makeEvent(type, data, { id: '0PzVyq3kQm7sTn1d', time, source: '/examples', subject });
}

const format = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

if (import.meta.main) {
  mkdirSync(generatedDirectory, { recursive: true });
  const files = generatedFiles();
  for (const name of readdirSync(generatedDirectory)) if (!files.has(name)) rmSync(join(generatedDirectory, name));
  for (const [name, content] of files) writeFileSync(join(generatedDirectory, name), content);
  console.log(`${files.size} files in events/generated are up to date`);
}
