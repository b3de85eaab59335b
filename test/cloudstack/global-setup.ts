/** Before any test: builds and installations take longer than a test may. What is unavailable is said once, and its tests are skipped. */
import type { TestProject } from 'vitest/node';
import { type CloudStackParts, getCloudStackParts } from './parts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    cloudStackParts: CloudStackParts;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const parts = await getCloudStackParts();
  for (const [name, found] of Object.entries(parts)) {
    if ('unavailable' in found) console.warn(`Tests that need ${name} are skipped. ${found.unavailable}`);
  }
  project.provide('cloudStackParts', parts);
}
