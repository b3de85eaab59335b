/**
 * The provider contract as tests. Every provider passes them all, against its cloud or a stand-in for it:
 *
 * @example
 * providerConformance('sim, tokens', { idempotency: 'token', injections: […], start: () => startHarness() });
 */
import { afterAll, beforeEach, describe, expect, type TestFunction, test } from 'vitest';
import type { InjectionKind, ProviderHarness, ProviderUnderTest } from './harness.ts';
import { checkSuite } from './suites/check.ts';
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
    beforeEach(async ({ task, skip }) => {
      const reason = under.excluded?.[task.name];
      skip(reason !== undefined, reason);
      current = await under.start();
      return () => current.close();
    });
    // A case that was renamed, or is no more, would else stay excluded for ever.
    // biome-ignore lint/correctness/noEmptyPattern: vitest takes the names of fixtures from this pattern
    afterAll(({}, suite) => {
      const titles = titlesIn(suite);
      expect(Object.keys(under.excluded ?? {}).filter((title) => !titles.includes(title))).toEqual([]);
    });
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
    describe('check and quota', () => checkSuite(suite));
  });
}

interface Titled {
  name: string;
  tasks?: readonly Titled[];
}

const titlesIn = ({ name, tasks }: Titled): string[] => (tasks === undefined ? [name] : tasks.flatMap(titlesIn));
