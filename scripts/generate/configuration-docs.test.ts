import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import * as fields from '../../shared/base/fields.ts';
import type { ProviderManifest } from '../../shared/providers/manifest.ts';
import { manifests } from '../../shared/providers/manifests.ts';
import { configurationDocs, configurationFields, configurationPage } from './configuration-docs.ts';
import { fieldTexts, sections } from './configuration-texts.ts';

const paths = configurationFields().map(({ path }) => path);

it('says of every field what it does, and of no field that is not there', async () => {
  expect(Object.keys(await fieldTexts()).sort()).toEqual([...paths].sort());
});

it('puts every field into one section', async () => {
  const page = await configurationDocs();
  for (const path of paths) expect(page.split(`| \`${path}\` |`).length - 1, path).toBe(1);
  expect(sections.length).toBe(page.match(/^## /gm)?.length);
});

it('shows limits and defaults as the schema has them', async () => {
  const page = await configurationDocs();
  expect(page).toContain('| `http.port` | 0 to 65535 | `8470` |');
  expect(page).toContain('| `clusters.<name>.resyncSeconds` | 1s to 366d | `1m` |');
  expect(page).toContain('| `providers.<name>.idempotency` | token, name, claim-name, none | – |');
});

it('shows no default where the schema has none', async () => {
  const page = await configurationDocs();
  expect(page).toContain('| `clusters.<name>.server` | text | – |');
  expect(page).toContain('| `providers.<name>.url` | text | – |');
});

it('is what docs/configuration.md says (npm run generate brings it up to date)', async () => {
  expect(readFileSync(configurationPage, 'utf8')).toBe(await configurationDocs());
});

const types: readonly ProviderManifest[] = manifests;

/** Fields by their path, each as often as somebody has it. */
function expectOneSchemaEach(all: readonly (readonly [path: string, type: string, schema: z.core.$ZodType])[]): void {
  const seen = new Map<string, string>();
  for (const [path, type, schema] of all) {
    const shape = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
    expect(seen.get(path) ?? shape, `${path} of ${type}`).toBe(shape);
    seen.set(path, shape);
  }
}

it('has one schema for options of one name, because all types share one object', () => {
  expectOneSchemaEach(
    types.flatMap(({ type, options }) =>
      Object.entries(options(fields)).map(([field, schema]) => [field, type, schema] as const),
    ),
  );
});

it('has one schema and one text for a field of a section that several types share', async () => {
  const shared = types.flatMap(({ type, perCluster }) =>
    Object.entries(perCluster?.fields(fields) ?? {}).map(
      ([field, schema]) => [`${perCluster?.section}.${field}`, type, schema] as const,
    ),
  );
  expectOneSchemaEach(shared);
  const texts = new Map<string, string>();
  for (const { texts: load, perCluster } of types) {
    for (const [field, text] of Object.entries((await load()).perCluster ?? {})) {
      const path = `${perCluster?.section}.${field}`;
      expect(texts.get(path) ?? text, path).toBe(text);
      texts.set(path, text);
    }
  }
  expect([...texts.keys()].sort()).toEqual([...new Set(shared.map(([path]) => path))].sort());
});
