/** What others wrote, within a test file: a path, or undefined where it is unavailable and the tests that need it are skipped. */
import { inject } from 'vitest';
import type { CloudStackParts } from './parts.ts';

export function partPath(name: keyof CloudStackParts): string | undefined {
  const found = inject('cloudStackParts')[name];
  return 'path' in found ? found.path : undefined;
}
