import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prefixesOf } from './prefixes.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });

it('finds what a comparison with each of them finds', () => {
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c') }),
      (texts, text) => {
        const prefixes = prefixesOf(texts);
        const found = texts.filter((one) => text.startsWith(one)).map(({ length }) => length);
        expect(prefixes.longestIn(text)).toBe(Math.max(0, ...found));
        expect(prefixes.anyBeginsWith(text)).toBe(texts.some((one) => one.startsWith(text)));
      },
    ),
  );
});
