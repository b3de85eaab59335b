import { chmodSync, chownSync, lchownSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DataDirectoryError, openDataDirectory } from './data-directory.ts';

test('a lock that is something else is named, with what to do', () => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'lock'), 'not a lock of ours');
  expect(() => openDataDirectory(directory)).toThrow(DataDirectoryError);
  expect(() => openDataDirectory(directory)).toThrow(/\/lock is not a Poolwright lock file\. Delete this file/);
});

test('a directory that every user can write to is refused; one that is only too open is closed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  chmodSync(directory, 0o777);
  expect(() => openDataDirectory(directory)).toThrow(/\(mode 777\)\. Run: chmod 700 /);
  chmodSync(directory, 0o775);
  openDataDirectory(directory).release();
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

/** Only the system may give a directory to somebody else. */
const isSystem = process.geteuid?.() === 0;
const another = 12_345;

test.runIf(isSystem)('a directory of another user is refused, with the command that fixes it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  chownSync(directory, another, another);
  expect(() => openDataDirectory(directory)).toThrow(/belongs to another user \(12345\).*Run: chown -h 0 /);
  expect(statSync(directory).uid).toBe(another);
});

test.runIf(isSystem)('a link of another user to a directory of our own is refused', () => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-'));
  const link = `${directory}-link`;
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
    rmSync(link);
  });
  symlinkSync(directory, link);
  openDataDirectory(link).release();
  lchownSync(link, another, another);
  expect(() => openDataDirectory(link)).toThrow(/belongs to another user/);
});
