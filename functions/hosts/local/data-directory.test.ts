import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
