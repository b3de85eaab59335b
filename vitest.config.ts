import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// These have suites of their own: they need a real API server, Python, or real processes and packages for minutes.
const elsewhere = ['**/node_modules/**', 'dist/**', '.tmp/**', '**/*.{kube,aws,cloudstack,hosts}.test.ts'];

/** They change what a process knows for good: a list of the product, or where an SDK looks for its identity. */
const alone = ['test/providers/throw-away.test.ts', 'test/sim/azure/{app,machine}-identity.test.ts'];

/** Of whoever runs the tests, no kubeconfig and no credentials may matter. */
const home = join(import.meta.dirname, '.tmp/home');
mkdirSync(home, { recursive: true });

export default defineConfig({
  test: {
    env: { HOME: home, KUBECONFIG: '' },
    // All other files share a process per core, so that the sources are loaded twice and not four hundred times.
    projects: [
      {
        extends: true,
        test: { name: 'all', include: ['**/*.test.ts'], exclude: [...elsewhere, ...alone], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: elsewhere } },
    ],
    globalSetup: ['test/temporary-files.ts'],
    setupFiles: ['test/forget-secrets.ts'],
    reporters: ['./scripts/folder-reporter.ts'],
    // Left to itself vitest keeps a core for itself, which on two cores is half of the machine.
    maxWorkers: availableParallelism(),
    // For what hangs, not for what is slow: two noisy cores are the smallest machine that we promise to pass on.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      provider: 'v8',
      include: ['shared/**/*.ts', 'functions/**/*.ts'],
      exclude: [
        '**/*.test.ts',
        // Only in bundles and processes of their own, where test/hosts/aws and test/kube run them: from here nobody sees which lines.
        'functions/hosts/aws/{handlers,entries}/**',
        'functions/hosts/aws/{engine,http-token,lambda-service,frame,queues,services,step-call,worker,workflows}.ts',
        'functions/hosts/bridge/{bookmark-file,host,tidy}.ts',
        // `npm run test:hosts` runs them, on the stand-in for the platform.
        'functions/hosts/azure/{handlers,entries}/**',
        'functions/hosts/azure/{events-queue,serve,services,worker,workflows}.ts',
        'functions/hosts/common/misconfigured-answer.ts',
      ],
      reporter: ['text-summary', 'json-summary', 'html'],
      // Each of the two must reach it by itself.
      thresholds: { 'shared/**/*.ts': { lines: 90 }, 'functions/**/*.ts': { lines: 90 } },
    },
  },
});
