import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { tarball } from './tar.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-tar-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { atMs: Date.UTC(2026, 0, 1), mode: 0o600 };

it('is an archive that the tar of the system reads', () => {
  const files = [
    { name: 'a/empty.txt', content: '' },
    { name: 'a/exact.txt', content: 'x'.repeat(512) },
    { name: 'a/odd.txt', content: 'ünïcödé\u0000 ✓\n' },
  ];
  const file = join(folder, 'archive.tgz');
  writeFileSync(file, tarball(files, options));

  const listed = execFileSync('tar', ['tvzf', file], { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });
  expect(listed.match(/^-rw------- .* 2026-01-01 00:00/gm)).toHaveLength(3);
  expect(execFileSync('tar', ['tzf', file], { encoding: 'utf8' })).toBe('a/empty.txt\na/exact.txt\na/odd.txt\n');
  expect(execFileSync('tar', ['xzOf', file], { encoding: 'utf8' })).toBe(files.map(({ content }) => content).join(''));
});

it('refuses a name that has no room in it, rather than cut it off', () => {
  expect(() => tarball([{ name: 'é'.repeat(51), content: '' }], options)).toThrow('too long');
});
