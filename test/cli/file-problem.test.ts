import { expect, test } from 'vitest';
import { fileProblem } from '../../cli/commands/start/run.ts';
import { defined } from '../../shared/base/defined.ts';

const systemError = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: something`), { code, syscall: 'write', ...defined({ path }) });

test.each([
  ['ENOSPC', undefined, 'The data directory: the disk is full. Free some space on it, then start again.'],
  ['EACCES', '/d/ports.json.new', '/d/ports.json.new: this user has no write permission.'],
  ['EROFS', '/d/token.new', '/d/token.new: the file system is read-only.'],
])('%s at a small file of the data directory is told in one line', (code, path, text) => {
  expect(fileProblem(systemError(code, path))?.message).toContain(text);
});

test('an error of another kind is no problem of the disk', () => {
  expect(fileProblem(systemError('ECONNREFUSED'))).toBeUndefined();
  expect(fileProblem(new Error('a bug'))).toBeUndefined();
});
