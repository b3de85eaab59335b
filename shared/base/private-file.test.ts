import { closeSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { LinkRefused, makePrivate, openPrivate, writePrivate } from './private-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'poolwright-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ways: [string, (path: string) => void][] = [
  ['written', (path) => writePrivate(path, 'ours')],
  ['appended to', (path) => closeSync(openPrivate(path))],
  ['made for a library', makePrivate],
];

it.each(ways)(
  'a file that is %s through a link is refused, and what the link leads to stays as it was',
  (name, use) => {
    const victim = join(directory, `victim ${name}`);
    const link = join(directory, `link ${name}`);
    writeFileSync(victim, 'theirs', { mode: 0o644 });
    symlinkSync(victim, link);
    expect(() => use(link)).toThrow(LinkRefused);
    expect(readFileSync(victim, 'utf8')).toBe('theirs');
    expect(statSync(victim).mode & 0o777).toBe(0o644);
  },
);

it.each(ways)('a file that is %s is for this user alone, also if it was there before', (name, use) => {
  const path = join(directory, `open ${name}`);
  writeFileSync(path, '', { mode: 0o644 });
  use(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
