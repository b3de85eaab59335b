/** No block of the README or of a quick start is left out: each page is run by a test, and what nobody types is marked. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, quiet, typed } from './blocks.ts';
import { repository } from './run-page.ts';

const pages = ['README.md', ...globSync('docs/quick-start/*.md', { cwd: repository })].sort();
const tests = globSync('test/docs/*.test.ts', { cwd: repository }).map((file) =>
  readFileSync(join(repository, file), 'utf8'),
);

describe.each(pages)('%s', (page) => {
  it('is run by a test, once', () => {
    expect(tests.filter((text) => text.includes(`runPage('${page}'`))).toHaveLength(1);
  });

  it('says of each block what it is, and commands are sh or console', () => {
    const blocks = blocksOf(readFileSync(join(repository, page), 'utf8'));
    const known = [...quiet, ...typed];
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it('has no commands in blocks that are not run', () => {
    const silent = blocksOf(readFileSync(join(repository, page), 'utf8')).filter(({ language }) =>
      quiet.includes(language),
    );
    const commands = /^(\$ )?(npm|npx|kubectl|helm|az|aws|func|curl|docker|poolwright) /m;
    expect(silent.filter(({ text }) => commands.test(text))).toEqual([]);
  });
});
