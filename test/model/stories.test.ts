import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { successors } from './model.ts';
import { brokenAt, namesOf } from './properties.ts';
import { type Setup, setUp } from './setup.ts';
import { initialState, type State } from './state.ts';
import { neglected, stories } from './stories.ts';

/** Plays the steps as far as they can be taken. */
function play(setup: Setup, steps: readonly string[]) {
  let state: State = initialState(setup.budget, setup.slots, setup.writes, setup.predecessor);
  let broken = 0;
  for (const [taken, step] of steps.entries()) {
    let next: State | undefined;
    successors(setup, state, (candidate, label, _, violated) => {
      if (label !== step || next) return;
      next = candidate;
      broken |= violated | brokenAt(candidate);
    });
    if (!next) return { state, broken, taken, refused: step };
    state = next;
  }
  return { state, broken, taken: steps.length, refused: undefined };
}

/** All that can still happen, without what the story used up. */
const everythingFrom = (setup: Setup, from: State) => namesOf(explore(setup, { from }).violated);

describe('stories that simpler rules get wrong', () => {
  for (const { name, config, steps, change, breaks } of stories) {
    it(`${name}: ends in ${breaks} under the broken rule, and well under ours`, () => {
      const bad = play(setUp(config, change), steps);
      expect(bad.refused).toBeUndefined();
      expect(namesOf(bad.broken)).toContain(breaks);

      const good = play(setUp(config), steps);
      expect(good.refused).toBeDefined();
      expect(good.broken).toBe(0);
      expect(everythingFrom(setUp(config), good.state)).toEqual([]);
    });
  }

  for (const { name, config, steps, change, breaks } of neglected) {
    it(`${name}: rests in ${breaks} under the broken rule, and well under ours`, () => {
      const bad = play(setUp(config, change), steps);
      const good = play(setUp(config), steps);

      expect([bad.refused, good.refused]).toEqual([undefined, undefined]);
      expect(everythingFrom(setUp(config, change), bad.state)).toContain(breaks);
      expect(everythingFrom(setUp(config), good.state)).toEqual([]);
    });
  }
});
