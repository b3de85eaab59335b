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

it('has one schema for options of one name, because all types share one object', () => {
  const seen = new Map<string, string>();
  for (const manifest of manifests as readonly ProviderManifest[]) {
    for (const [field, schema] of Object.entries(manifest.options(fields))) {
      const shape = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
      expect(seen.get(field) ?? shape, `${manifest.type}.${field}`).toBe(shape);
      seen.set(field, shape);
    }
  }
});
