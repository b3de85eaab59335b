import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationDocs, configurationFields, configurationPage } from './configuration-docs.ts';
import { fieldTexts, sections } from './configuration-texts.ts';

const paths = configurationFields().map(({ path }) => path);

it('says of every field what it does, and of no field that is not there', () => {
  expect(Object.keys(fieldTexts).sort()).toEqual([...paths].sort());
});

it('puts every field into one section', () => {
  const page = configurationDocs();
  for (const path of paths) expect(page.split(`| \`${path}\` |`).length - 1, path).toBe(1);
  expect(sections.length).toBe(page.match(/^## /gm)?.length);
});

it('shows limits and defaults as the schema has them', () => {
  const page = configurationDocs();
  expect(page).toContain('| `http.port` | 0 to 65535 | `8470` |');
  expect(page).toContain('| `clusters.<name>.resyncSeconds` | 1s to 366d | `1m` |');
  expect(page).toContain('| `providers.<name>.idempotency` | token, name, claim-name, none | – |');
});

it('shows no default where the schema has none', () => {
  const page = configurationDocs();
  expect(page).toContain('| `clusters.<name>.server` | text | – |');
  expect(page).toContain('| `providers.<name>.url` | text | – |');
});

it('is what docs/configuration.md says (npm run generate brings it up to date)', () => {
  expect(readFileSync(configurationPage, 'utf8')).toBe(configurationDocs());
});
