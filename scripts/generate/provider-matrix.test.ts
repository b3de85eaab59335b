import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { manifests } from '../../shared/providers/manifests.ts';
import { providerFacts, providersPage, withMatrix } from './provider-matrix.ts';

it('is what docs/providers/README.md says (npm run generate brings it up to date)', async () => {
  const page = readFileSync(providersPage, 'utf8');
  expect(page).toBe(await withMatrix(page));
});

it('has every provider, each with a page of its own', async () => {
  const names = (await providerFacts()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(manifests.map(({ type }) => type).toSorted());
  expect(names.filter((name) => !existsSync(join(dirname(providersPage), `${name}.md`)))).toEqual([]);
});
