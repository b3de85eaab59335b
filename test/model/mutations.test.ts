import { describe, expect, it } from 'vitest';
import { cases } from './configs.ts';
import { explore } from './explore.ts';
import { mutations } from './mutations.ts';
import { bitsOf, namesOf } from './properties.ts';
import { setUp } from './setup.ts';

describe('breaking a rule on purpose makes the model fail', () => {
  for (const { name, change, shownBy, breaks } of mutations) {
    it(`${name}: breaks ${breaks}`, () => {
      const config = cases.find((one) => one.name === shownBy);
      if (!config) throw new Error(`there is no configuration ${shownBy}`);

      const outcome = explore(setUp(config, change), { maxStates: 150_000, stopUnless: bitsOf(config.exceptions) });

      expect(config.exceptions).not.toContain(breaks);
      expect(namesOf(outcome.violated)).toContain(breaks);
      expect(outcome.traces.get(breaks)?.length).toBeGreaterThan(0);
    });
  }
});
