/** The catalog of Kubernetes Events, held against the sources that write them and the page that explains them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventCatalog } from '../../shared/nodes/steps/report/event-catalog.ts';
import { eventDocs, eventsPage } from './event-docs.ts';

const root = join(import.meta.dirname, '../..');
const sources = globSync(['shared/**/*.ts', 'functions/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('event-catalog.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

it.each(Object.keys(eventCatalog))('%s is written somewhere', (reason) => {
  expect(sources).toMatch(new RegExp(`'${reason}'|\\b${reason}: '`));
});

it('has every reason that is written out beside its type', () => {
  const named = [...sources.matchAll(/'(?:Normal|Warning)', (?:reason: )?'(\w+)'/g)].map(([, reason]) => reason ?? '');
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((reason) => eventCatalog[reason] === undefined)).toEqual([]);
});

it('uses reasons that Kubernetes accepts, and says something about each', () => {
  for (const [reason, { meaning }] of Object.entries(eventCatalog)) {
    expect(reason).toMatch(/^[A-Z][A-Za-z]{2,60}$/);
    expect(meaning).toMatch(/\S+ \S+ \S+/);
    expect(meaning).not.toContain('|');
  }
});

it('is what docs/events.md says (npm run generate brings it up to date)', () => {
  expect(readFileSync(eventsPage, 'utf8')).toBe(eventDocs());
});
