import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    // Those of *.kube.test.ts need a real API server: vitest.kube.config.ts.
    exclude: ['node_modules/**', 'dist/**', '.tmp/**', '**/*.kube.test.ts'],
    // Two cores are the smallest machine we promise to pass on: a slow test is judged by its own limit, not by its neighbours.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['shared/**/*.ts', 'functions/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      // Each of the two must reach it by itself.
      thresholds: { 'shared/**/*.ts': { lines: 90 }, 'functions/**/*.ts': { lines: 90 } },
    },
  },
});
