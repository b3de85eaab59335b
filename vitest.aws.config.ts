/** The tests on others' stand-ins for AWS, which need Python: `npm run test:aws`. `docs/testing.md` says more. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.aws.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**'],
    globalSetup: ['test/temporary-files.ts', 'test/aws/global-setup.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
