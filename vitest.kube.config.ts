/** The tests that need a real kube-apiserver: `npm run test:kube`. `docs/testing.md` says where it comes from. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.kube.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**'],
    globalSetup: ['test/temporary-files.ts', 'test/kube/global-setup.ts'],
    // A cluster that somebody names is the only one: a test that needs it for itself must be alone.
    fileParallelism: !process.env.TEST_KUBECONFIG,
    // They wait most of the time: for servers, machines and drains.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
