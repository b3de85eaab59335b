/** The directory of a local host: one host's, closed to other users, and clear about what is wrong with it. */
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type DataDirectory, openDataDirectory } from '../../../functions/hosts/local/data-directory.ts';
import { keepLog } from '../../../functions/hosts/local/kept-log.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { openDatabase } from '../../../shared/platforms/sqlite/sqlite.ts';
import { temporaryDirectory } from './host-process.ts';

const held: DataDirectory[] = [];
afterEach(() => {
  for (const directory of held.splice(0)) directory.release();
});

it('that can not be made says so', () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(() => openDataDirectory(join(file, 'below'))).toThrow(/can't be created.*--data-dir/);
});

it('whose lock is no lock says so', () => {
  const path = temporaryDirectory();
  writeFileSync(join(path, 'lock'), 'this is no database '.repeat(100));
  expect(() => openDataDirectory(path)).toThrow(/lock is not a Poolwright lock file. Delete this file/);
});

it('that every user can write to is refused, with the command that fixes it', () => {
  const path = temporaryDirectory();
  chmodSync(path, 0o777);
  expect(() => openDataDirectory(path)).toThrow(`mode 777). Run: chmod 700 ${path}`);
  chmodSync(path, 0o1777);
  expect(() => openDataDirectory(path)).toThrow(/every user/);
});

it('is closed to others, and so is every file in it', async () => {
  const path = temporaryDirectory();
  writeFileSync(join(path, 'token'), 'a-token-that-is-long-enough');
  for (const name of ['token', 'pid', 'lock', 'state.db']) {
    if (name !== 'token') writeFileSync(join(path, name), '');
    chmodSync(join(path, name), 0o644);
  }
  chmodSync(path, 0o755);
  const directory = openDataDirectory(path);
  held.push(directory);
  directory.token();
  const database = openDatabase({ file: directory.file('state.db'), synchronous: 'NORMAL', migrations: [] });
  const log = keepLog({ directory: directory.file('log'), clock: systemClock });
  log.write('a line\n');
  const modeOf = (name: string): string => (statSync(join(path, name)).mode & 0o777).toString(8);
  expect(modeOf('.')).toBe('700');
  expect(modeOf('log')).toBe('700');
  const files = [...readdirSync(path).filter((name) => name !== 'log'), 'log/00000001.jsonl'];
  expect(files).toEqual(expect.arrayContaining(['state.db-wal', 'state.db-shm', 'pid', 'lock', 'token']));
  expect(files.filter((name) => modeOf(name) !== '600')).toEqual([]);
  log.close();
  database.close();
});

it.each(['pid', 'lock', 'token'])('with a link in place of %s is refused', (name) => {
  const path = temporaryDirectory();
  const victim = join(temporaryDirectory(), 'victim');
  writeFileSync(victim, 'precious');
  symlinkSync(victim, join(path, name));
  expect(() => {
    const directory = openDataDirectory(path);
    held.push(directory);
    directory.token();
  }).toThrow(/is a symbolic link.*Delete the link/);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

it('follows no link to a database or a log', () => {
  const path = temporaryDirectory();
  const victim = join(temporaryDirectory(), 'victim');
  writeFileSync(victim, '');
  symlinkSync(victim, join(path, 'state.db'));
  expect(() => openDatabase({ file: join(path, 'state.db'), synchronous: 'NORMAL', migrations: [] })).toThrow(
    /symbolic link/,
  );
  symlinkSync(victim, join(path, '00000001.jsonl'));
  const log = keepLog({ directory: path, clock: systemClock });
  log.write('a line\n');
  log.close();
  expect(readFileSync(victim, 'utf8')).toBe('');
});

it('makes a new token in place of one that is too short to be a secret', () => {
  const path = temporaryDirectory();
  writeFileSync(join(path, 'token'), 'short');
  const directory = openDataDirectory(path);
  held.push(directory);
  const token = directory.token();
  expect(token.length).toBeGreaterThanOrEqual(32);
  expect(directory.token()).toBe(token);
});

it('is held by one, in the same process too, and free again when it is released', () => {
  const path = temporaryDirectory();
  const first = openDataDirectory(path);
  expect(() => openDataDirectory(path)).toThrow(/in use by another Poolwright/);
  first.release();
  openDataDirectory(path).release();
});
