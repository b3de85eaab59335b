import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { collectingLog } from './log.ts';
import { secretFileProblem, secretList } from './secret-list.ts';

const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
const file = join(directory, 'tokens');
afterEach(() => rmSync(file, { force: true }));

describe('a list of secrets', () => {
  it('holds what was given and every line of every file, and sees what changes there', () => {
    const log = collectingLog();
    writeFileSync(file, 'first-in-the-file\n\n  second-in-the-file  \n');
    const secrets = secretList({ values: ['given'], files: [file], log });

    expect(secrets()).toEqual(['given', 'first-in-the-file', 'second-in-the-file']);
    writeFileSync(file, 'another-one');
    expect(secrets()).toEqual(['given', 'another-one']);
  });

  it('takes a file that is gone for taken back, and says so once', () => {
    const log = collectingLog();
    writeFileSync(file, 'in-the-file');
    const secrets = secretList({ values: [], files: [file], log });
    expect(secrets()).toEqual(['in-the-file']);

    rmSync(file);

    expect(secrets()).toEqual([]);
    expect(secrets()).toEqual([]);
    expect(log.lines.map(({ event }) => event)).toEqual(['http.secret-file.unreadable']);
    expect(JSON.stringify(log.lines)).not.toContain('in-the-file');
  });
});

describe('a file of secrets at the start', () => {
  it.each([
    ['a secret that is long enough', 'x'.repeat(16), undefined],
    ['nothing', '\n \n', /contains no secret/],
    ['a secret that can be guessed', `${'x'.repeat(40)}\nhunter2`, /a secret of 7 characters; at least 16/],
  ])('with %s', (_name, text, problem) => {
    writeFileSync(file, text);
    const found = secretFileProblem(file);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
    expect(found ?? '').not.toContain('hunter2');
  });

  it('that is missing is named', () => {
    expect(secretFileProblem(file)).toBe(`${file} can't be read (ENOENT)`);
  });
});
