import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errors } from '../../shared/observe/errors/catalog.ts';
import { errorDocs, errorsPage } from './error-docs.ts';

it('is what docs/reference/errors.md says (npm run generate brings it up to date)', () => {
  expect(readFileSync(errorsPage, 'utf8')).toBe(errorDocs());
});

it.each(Object.keys(errors))('has an anchor for %s', (code) => {
  expect(errorDocs()).toContain(`\n### ${code}\n`);
});
