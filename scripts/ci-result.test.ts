import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ciResult, slowestFiles } from './ci-result.ts';

const folder = mkdtempSync(join(tmpdir(), 'ci-result-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function report(numPassedTests: number, numFailedTests: number, files: [string, string[]][] = []): string {
  const path = join(folder, `${numPassedTests}-${numFailedTests}-${files.length}.json`);
  const testResults = files.map(([status, tests]) => ({
    status,
    assertionResults: tests.map((one) => ({ status: one })),
  }));
  writeFileSync(path, JSON.stringify({ numPassedTests, numFailedTests, testResults }));
  return path;
}

const none = join(folder, 'none.json');
const failing = report(6, 2, [['failed', ['failed', 'failed']]]);

it.each([
  ['all is well', 0, [report(7, 0)], { passed: 7, failed: 0 }],
  ['two reports are well', 0, [report(7, 0), report(3, 0)], { passed: 10, failed: 0 }],
  ['a test failed, and with it the step', 1, [failing], { passed: 6, failed: 2 }],
  ['tests failed in both', 2, [failing, report(6, 1, [['failed', ['failed']]])], { passed: 12, failed: 3 }],
  ['tests of one failed, the other is well', 1, [report(8, 0), failing], { passed: 14, failed: 2 }],
  ['a test and the linter failed', 2, [report(6, 1, [['failed', ['failed']]])], { passed: 6, failed: 2 }],
  ['only the linter failed', 1, [report(8, 0)], { passed: 8, failed: 1 }],
  ['a file could not be loaded', 1, [report(5, 0, [['failed', []]])], { passed: 5, failed: 1 }],
  ['vitest left no report', 1, [none], { passed: 0, failed: 1 }],
  ['vitest left no report and said nothing', 0, [none], { passed: 0, failed: 1 }],
  ['one of two left no report', 1, [report(5, 0), none], { passed: 5, failed: 1 }],
  ['one of two left no report and said nothing', 0, [report(5, 0), none], { passed: 5, failed: 1 }],
])('counts what really happened: %s', (_, failedSteps, reports, expected) => {
  expect(ciResult(failedSteps, reports)).toEqual(expected);
});

it('names the slowest files of all reports, the slowest first', () => {
  const timed = join(folder, 'timed.json');
  const testResults = [3, 1, 2].map((seconds) => ({
    name: `${seconds}.test.ts`,
    startTime: 0,
    endTime: seconds * 1000,
  }));
  writeFileSync(timed, JSON.stringify({ testResults }));

  expect(slowestFiles([timed, none, timed], 3).map(({ seconds }) => seconds)).toEqual([3, 3, 2]);
});
