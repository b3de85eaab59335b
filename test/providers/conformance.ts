/**
 * The provider contract as tests. Every provider passes them all, against its cloud or a stand-in for it:
 *
 * @example
 * providerConformance('sim, tokens', { idempotency: 'token', injections: […], start: () => startHarness() });
 */
import { afterEach, beforeEach, describe, type TestFunction, test } from 'vitest';
import type { InjectionKind, ProviderHarness, ProviderUnderTest } from './harness.ts';
import { createSuite } from './suites/create.ts';
import { deleteSuite } from './suites/delete.ts';
import { errorsSuite } from './suites/errors.ts';
import { lookSuite } from './suites/look.ts';
import { lostAnswersSuite } from './suites/lost-answers.ts';

export interface Suite {
  under: ProviderUnderTest;
  harness(): ProviderHarness;
  /** A case that needs the stand-in to misbehave in these ways; skipped, and shown so, where it can't. */
  needs(injections: readonly InjectionKind[], title: string, run: TestFunction): void;
}

export function providerConformance(name: string, under: ProviderUnderTest): void {
  describe(`provider ${name}`, () => {
    let current: ProviderHarness;
    beforeEach(async () => {
      current = await under.start();
    });
    afterEach(() => current.close());
    const suite: Suite = {
      under,
      harness: () => current,
      needs: (injections, title, run) => {
        const missing = injections.filter((kind) => !under.injections.includes(kind));
        test.skipIf(missing.length > 0)(
          title + (missing.length > 0 ? ` (can't inject ${missing.join(', ')})` : ''),
          run,
        );
      },
    };
    describe('create', () => createSuite(suite));
    describe('answers that are lost or late', () => lostAnswersSuite(suite));
    describe('delete', () => deleteSuite(suite));
    describe('find, get and list', () => lookSuite(suite));
    describe('errors', () => errorsSuite(suite));
  });
}
