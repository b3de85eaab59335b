import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cliDocs, cliPage } from './cli-docs.ts';

it('is what docs/reference/cli.md says (npm run generate brings it up to date)', () => {
  expect(readFileSync(cliPage, 'utf8')).toBe(cliDocs());
});

it('has each command with an example', () => {
  const sections = cliDocs().split('\n## ').slice(1);
  expect(sections.length).toBeGreaterThan(8);
  expect(sections.filter((section) => !section.includes('Examples:'))).toEqual([]);
});
