import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { createBreaker, type Ending, type Passage } from './breaker.ts';

function setUp() {
  const clock = manualClock();
  const breaker = createBreaker('far', clock);
  const end = (passage: Passage, ending: Ending): void => {
    if ('refused' in passage) throw new Error(passage.refused.message);
    passage.ended(ending, 'no answer');
  };
  const once = (ending: Ending): void => end(breaker.enter(), ending);
  const isOpen = (): boolean => !('refused' in breaker.enter());
  return { clock, breaker, end, once, isOpen };
}

describe('a breaker', () => {
  it('lets nobody through after three silences in a row, and says so with the pause', () => {
    const { breaker, once } = setUp();
    once('silent');
    once('silent');
    once('answered');
    once('silent');
    once('silent');
    once('abandoned');
    once('silent');
    expect(breaker.enter()).toEqual({
      refused: {
        kind: 'unavailable',
        message: 'Cluster far does not respond (no answer); the next request follows in 1 s.',
        retryAfterSeconds: 1,
      },
    });
  });

  it('lets one through after the pause, which doubles up to ten seconds while nothing answers', () => {
    const { clock, breaker, once, end } = setUp();
    for (let count = 0; count < 3; count += 1) once('silent');
    for (const pause of [1, 2, 4, 8, 10, 10]) {
      clock.advance(pause * 1000 - 1);
      expect(breaker.enter()).toHaveProperty('refused');
      clock.advance(1);
      const probe = breaker.enter();
      expect(breaker.enter()).toHaveProperty('refused');
      end(probe, 'silent');
    }
    clock.advance(10_000);
    once('answered');
    for (let count = 0; count < 20; count += 1) once('answered');
  });

  it('gives the test to another when its caller went away', () => {
    const { clock, once } = setUp();
    for (let count = 0; count < 3; count += 1) once('silent');
    clock.advance(1000);
    once('abandoned');
    once('answered');
    once('answered');
  });

  it('is not closed for longer by those who were under way when it closed', () => {
    const { clock, breaker, end, isOpen } = setUp();
    const underWay = Array.from({ length: 6 }, () => breaker.enter());
    for (const passage of underWay) end(passage, 'silent');
    clock.advance(1000);
    expect(isOpen()).toBe(true);
  });

  it('opens again when one of those is answered after all', () => {
    const { breaker, end, once, isOpen } = setUp();
    const late = breaker.enter();
    for (let count = 0; count < 3; count += 1) once('silent');
    expect(isOpen()).toBe(false);
    end(late, 'answered');
    expect(isOpen()).toBe(true);
  });

  it('does not let requests pile up before a cluster from which nothing comes', () => {
    const { clock, breaker, end, isOpen } = setUp();
    const [first] = Array.from({ length: 8 }, () => breaker.enter());
    clock.advance(3000);
    expect(isOpen()).toBe(true);
    clock.advance(1);
    expect(isOpen()).toBe(true);
    clock.advance(250);
    expect(isOpen()).toBe(false);
    if (first !== undefined) end(first, 'answered');
    expect(isOpen()).toBe(true);
  });

  it('does not take its own pause for silence: an answer that was only read late is one', () => {
    const { clock, breaker, end, isOpen } = setUp();
    const [first] = Array.from({ length: 8 }, () => breaker.enter());
    clock.advance(20_000);
    expect(isOpen()).toBe(true);
    if (first !== undefined) end(first, 'answered');
    clock.advance(2000);
    expect(isOpen()).toBe(true);
  });
});
