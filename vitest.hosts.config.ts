/**
 * The tests that take real processes, packages, platforms, or software of others from npm: `npm run test:hosts`. `docs/testing.md` says more.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{scripts,test}/**/*.hosts.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**'],
    globalSetup: ['test/temporary-files.ts', 'test/peers/global-setup.ts'],
    reporters: ['./scripts/folder-reporter.ts'],
    // They wait most of the time: for processes that start, crash and end.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
