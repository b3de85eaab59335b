/**
 * The last line of .ci/run: `N passed, M failed`, from vitest's own report and the number of other steps that failed.
 * Usage: node scripts/ci-result.ts <report of vitest> <failed steps>. Exit code 0 only if nothing failed.
 */
import { existsSync, readFileSync } from 'node:fs';

export interface CiResult {
  passed: number;
  failed: number;
}

/** @param failedSteps How many steps failed, the tests among them: a run can fail though each test passes (coverage). */
export function ciResult(report: string, failedSteps: number): CiResult {
  if (!existsSync(report)) return { passed: 0, failed: Math.max(1, failedSteps) };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    testResults: { status: string; assertionResults: { status: string }[] }[];
  };
  // A file that can't be loaded has no test that could fail.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  ).length;
  const inTests = numFailedTests + broken;
  // The step "test" has failed because of these; it is not one more.
  const others = inTests > 0 ? failedSteps - 1 : failedSteps;
  return { passed: numPassedTests, failed: inTests + Math.max(0, others) };
}

if (import.meta.main) {
  const [report = '', failedSteps = '0'] = process.argv.slice(2);
  const { passed, failed } = ciResult(report, Number(failedSteps));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
