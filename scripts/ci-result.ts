/**
 * The end of .ci/run: the slowest files of tests, and as the last line `N passed, M failed`, from vitest's own reports and the number of steps that failed.
 * Usage: node scripts/ci-result.ts <failed steps> <report of vitest>…. Exit code 0 only if nothing failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

export interface CiResult {
  passed: number;
  failed: number;
}

/** @param failedSteps How many steps failed, those with tests among them: one can fail though each test passes (coverage). */
export function ciResult(failedSteps: number, reports: readonly string[]): CiResult {
  const results = reports.map(resultOf);
  const counted = results.filter((result) => result !== undefined);
  const passed = counted.reduce((sum, result) => sum + result.passed, 0);
  const inTests = counted.reduce((sum, result) => sum + result.failed, 0);
  // A step with tests that failed has failed because of these; it is not one more.
  const explained = counted.filter((result) => result.failed > 0).length;
  // Tests that left no report have not passed, whatever their step said.
  const silent = results.length - counted.length;
  return { passed, failed: inTests + Math.max(failedSteps - explained, silent) };
}

interface SlowFile {
  name: string;
  seconds: number;
}

/** The files that took longest, the slowest first. */
export function slowestFiles(reports: readonly string[], most = 20): SlowFile[] {
  const files = reports.filter(existsSync).flatMap((report) => {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { name: string; startTime: number; endTime: number }[];
    };
    return testResults.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
  });
  return files.sort((one, other) => other.seconds - one.seconds).slice(0, most);
}

function resultOf(report: string): CiResult | undefined {
  if (!existsSync(report)) return undefined;
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    testResults: { status: string; assertionResults: { status: string }[] }[];
  };
  // A file that can't be loaded has no test that could fail.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  ).length;
  return { passed: numPassedTests, failed: numFailedTests + broken };
}

if (import.meta.main) {
  const [failedSteps = '0', ...reports] = process.argv.slice(2);
  const { passed, failed } = ciResult(Number(failedSteps), reports);
  console.log('The slowest files:');
  for (const { name, seconds } of slowestFiles(reports)) {
    console.log(`${seconds.toFixed(1).padStart(8)} s  ${relative(process.cwd(), name)}`);
  }
  console.log('');
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
