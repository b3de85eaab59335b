import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { openDataDirectory } from './data-directory.ts';
import { writeCheck } from './write-check.ts';

function directory() {
  const path = mkdtempSync(join(tmpdir(), 'poolwright-'));
  const opened = openDataDirectory(path);
  onTestFinished(() => {
    opened.release();
    rmSync(path, { recursive: true });
  });
  return opened;
}

test('a data directory that can be written to is fine, and is not written to for everyone who asks', () => {
  const clock = manualClock();
  const opened = directory();
  const check = writeCheck(opened, clock);
  expect(check()).toEqual({ ok: true });
  const first = readFileSync(opened.file('write-check'), 'utf8');
  clock.advance(4999);
  check();
  expect(readFileSync(opened.file('write-check'), 'utf8')).toBe(first);
  clock.advance(1);
  check();
  expect(readFileSync(opened.file('write-check'), 'utf8')).not.toBe(first);
});

test('a file system that becomes read-only is named, and so is its return', () => {
  const clock = manualClock();
  let isReadOnly = true;
  const check = writeCheck(directory(), clock, () => {
    if (isReadOnly) throw new Error('EROFS: read-only file system, open');
  });
  expect(check()).toMatchObject({ ok: false, message: expect.stringMatching(/can't be written to.*EROFS/) });
  isReadOnly = false;
  clock.advance(5000);
  expect(check()).toEqual({ ok: true });
});
