/** The tests that hold the stand-in for CloudStack against what others wrote: `npm run test:cloudstack`. `docs/testing.md` says more. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.cloudstack.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**'],
    globalSetup: ['test/temporary-files.ts', 'test/cloudstack/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
