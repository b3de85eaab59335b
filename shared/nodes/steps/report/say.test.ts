import { expect, it } from 'vitest';
import { lastingMs } from './pace.ts';
import { mustSay } from './say.ts';

const now = 10_000_000;

it.each([
  ['nothing yet of an end that is quick', now - 4000, undefined, false],
  ['what an end waits for once it is no longer quick', now - 5000, undefined, true],
  ['nothing while the words are the same', now - 9000, { text: 'same', at: now - 60_000 }, false],
  ['other words, but not with every pod', now - 9000, { text: 'other', at: now - 29_000 }, false],
  ['other words after a while', now - 9000, { text: 'other', at: now - 30_000 }, true],
  ['the same words again before they are forgotten', now - 9000, { text: 'same', at: now - lastingMs }, true],
])('says %s', (_, since, said, expected) => {
  expect(mustSay(now, since, 'same', said)).toBe(expected);
});
