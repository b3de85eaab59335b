import { describe, expect, it } from 'vitest';
import { cases } from './configs.ts';
import { explore } from './explore.ts';
import { bitsOf, namesOf } from './properties.ts';
import { setUp } from './setup.ts';

describe('the attempt rules hold in every interleaving', () => {
  for (const config of cases.filter(({ deep }) => !deep)) {
    const allowed =
      config.exceptions.length === 0 ? 'nothing breaks' : `only ${config.exceptions.join(' and ')} may break`;
    it(`${config.name}: ${allowed}, and every state comes to rest`, () => {
      const outcome = explore(setUp(config), { maxStates: 300_000 });

      const unexpected = namesOf(outcome.violated & ~bitsOf(config.exceptions));
      const story = unexpected.map((name) => `${name}:\n${outcome.traces.get(name)?.join('\n')}`).join('\n');
      expect(story).toBe('');
      expect(outcome.complete).toBe(true);
      // An exception that no longer happens has no place in the docs.
      expect(namesOf(outcome.violated)).toEqual([...config.exceptions]);
      // The run means something only if claims do become Ready and do fail in it.
      expect(outcome.quiet.ready).toBeGreaterThan(0);
      // One that was taken over Ready has nothing left to fail at.
      if (config.predecessor !== 'ready') expect(outcome.quiet.failed).toBeGreaterThan(0);
    });
  }
});
