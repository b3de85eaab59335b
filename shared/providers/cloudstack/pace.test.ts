import { expect, it } from 'vitest';
import { testContext } from '../../../test/stand-ins/provider-context.ts';
import { manualClock } from '../../base/runtime.ts';
import { paceFor } from './pace.ts';

const signal = new AbortController().signal;

it('is one line for all providers of a process with the same account, and another for another account', () => {
  const clock = manualClock();
  const [one, other] = [testContext({ clock }), testContext({ clock })];
  const rate = { requestsPerSecond: 25 };
  expect(paceFor('a', rate, one)).toBe(paceFor('a', rate, other));
  expect(paceFor('a', rate, one)).not.toBe(paceFor('b', rate, one));
  expect(paceFor('a', rate, one)).not.toBe(paceFor('a', rate, testContext()));
});

it('lets no more through in any second than the limit, and sends who would wait long to sleep', async () => {
  const context = testContext();
  const pace = paceFor('a', { requestsPerSecond: 1000, patienceMs: 30 }, context);
  const answers = await Promise.all(Array.from({ length: 100 }, () => pace.enter(undefined, signal)));
  // Thirty milliseconds of patience at a thousand a second, a little slower than allowed.
  expect(answers.filter(({ ok }) => ok)).toHaveLength(29);
  expect(answers.at(-1)).toMatchObject({
    error: { kind: 'throttled', message: expect.stringContaining('CloudStack') },
  });
});
