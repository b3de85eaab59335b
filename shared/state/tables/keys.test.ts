import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromTableKeys, toTableKeys } from './keys.ts';

const unicode = (maxLength: number) => fc.string({ unit: 'binary', minLength: 1, maxLength });
/** Few different characters, so that keys share beginnings and the codes meet each other. */
const close = fc.string({
  unit: fc.constantFrom('a', '-', '.', '/', '0', '~', '{', 'é', '\u0000'),
  minLength: 1,
  maxLength: 6,
});
const long = fc.tuple(fc.integer({ min: 250, max: 262 }), close).map(([length, end]) => 'k'.repeat(length) + end);
const key = fc.oneof(unicode(40), close, long).filter((text) => text.isWellFormed());

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

describe('keys of a table', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(key, (one) => fromTableKeys(toTableKeys(one)) === one),
      { numRuns: 500 },
    );
  });

  it('stand in the order of the bytes', () => {
    fc.assert(
      fc.property(key, key, (left, right) => {
        const [a, b] = [toTableKeys(left), toTableKeys(right)];
        const order = compare(a.partitionKey, b.partitionKey) || compare(a.rowKey, b.rowKey);
        expect(order).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
      { numRuns: 2000 },
    );
  });

  it('hold only what a table takes, and never too much of it', () => {
    const widest = ['\u0000', '.', '?', '\\', '\u007f', 'é', '😀'].map((one) =>
      one.repeat(Math.floor(512 / Buffer.byteLength(one))),
    );
    for (const one of [...widest, 'turn/prod/a-b.c:d_e']) {
      const { partitionKey, rowKey } = toTableKeys(one);
      for (const part of [partitionKey, rowKey]) {
        expect(part).toMatch(/^[!-~]{1,512}$/);
        expect(part).not.toMatch(/[/\\#?%']/);
      }
    }
  });

  it('can be read by a person', () => {
    expect(toTableKeys('turn/prod/7f3a-11').partitionKey).toBe('turn.prod.7f3a-11');
  });
});
