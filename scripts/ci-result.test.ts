import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ciResult } from './ci-result.ts';

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

it.each([
  ['all is well', report(7, 0), 0, { passed: 7, failed: 0 }],
  [
    'a test failed, and with it the step',
    report(6, 2, [['failed', ['failed', 'failed']]]),
    1,
    { passed: 6, failed: 2 },
  ],
  ['a test and the linter failed', report(6, 1, [['failed', ['failed']]]), 2, { passed: 6, failed: 2 }],
  ['only the linter failed', report(8, 0), 1, { passed: 8, failed: 1 }],
  ['a file could not be loaded', report(5, 0, [['failed', []]]), 1, { passed: 5, failed: 1 }],
  ['vitest left no report', join(folder, 'none.json'), 1, { passed: 0, failed: 1 }],
  ['vitest left no report and said nothing', join(folder, 'none.json'), 0, { passed: 0, failed: 1 }],
])('counts what really happened: %s', (_, path, failedSteps, expected) => {
  expect(ciResult(path, failedSteps)).toEqual(expected);
});
