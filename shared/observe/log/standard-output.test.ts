import fs from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { writeToStandardOutput } from './standard-output.ts';

const write = vi.spyOn(fs, 'writeSync');
afterEach(() => write.mockReset());

const written = () => write.mock.calls.map(([fd, text]) => [fd, String(text)]);

const failure = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

it('writes the rest of a line of which only a part was taken, byte by byte', () => {
  write.mockReturnValueOnce(3).mockReturnValueOnce(4);
  writeToStandardOutput('a→bcd');
  expect(write.mock.calls.map(([, bytes]) => Buffer.from(bytes).toString('hex'))).toEqual([
    Buffer.from('a→bcd').toString('hex'),
    Buffer.from('a→bcd').subarray(3).toString('hex'),
  ]);
});

it('waits for a reader that is behind', () => {
  write.mockImplementationOnce(failure('EAGAIN')).mockReturnValueOnce(5);
  writeToStandardOutput('line\n');
  expect(written()).toEqual([
    [1, 'line\n'],
    [1, 'line\n'],
  ]);
});

it('goes on where nobody reads any more', () => {
  write.mockImplementationOnce(failure('EPIPE'));
  writeToStandardOutput('line\n');
  expect(written()).toEqual([[1, 'line\n']]);
});

it('loses a line that the disk has no room for, and goes on', () => {
  write.mockImplementationOnce(failure('ENOSPC'));
  expect(() => writeToStandardOutput('line\n')).not.toThrow();
});
