import { describe, expect, test } from 'vitest';
import { FaultBook, type FaultRules } from './faults.ts';

const offering = { instanceType: 'general-small', zone: 'zone-a', capacityType: 'spot' };

describe('FaultBook', () => {
  test('strikes by operation, offering and claim', () => {
    const book = new FaultBook(1, [
      { on: ['create', 'delete'], offering: { zone: 'zone-a' }, claim: 'u1', do: { kind: 'throttle' } },
    ]);

    expect(book.decide('create', { offering, claimUid: 'u1' }, 0).answer).toEqual({ kind: 'throttle' });
    expect(book.decide('delete', { offering, claimName: 'u1' }, 0).answer).toEqual({ kind: 'throttle' });
    expect(book.decide('get', { offering, claimUid: 'u1' }, 0).answer).toBeUndefined();
    expect(book.decide('create', { offering, claimUid: 'u2' }, 0).answer).toBeUndefined();
    expect(book.decide('create', { offering: { ...offering, zone: 'b' }, claimUid: 'u1' }, 0).answer).toBeUndefined();
    expect(book.decide('create', { claimUid: 'u1' }, 0).answer).toBeUndefined();
  });

  test('spares the first ones it shall skip, strikes as often as it may, and ends at its time', () => {
    const book = new FaultBook(1, [{ on: 'get', skip: 1, count: 2, until: 100, do: { kind: 'throttle' } }]);
    const strikes = (now: number) => book.decide('get', {}, now).answer !== undefined;

    expect([strikes(0), strikes(0), strikes(100), strikes(0), strikes(0)]).toEqual([false, true, false, true, false]);
  });

  test('goes on counting after a restart', () => {
    const rules: FaultRules = [{ on: 'get', count: 1, do: { kind: 'throttle' } }];
    const book = new FaultBook(1, rules);
    book.decide('get', {}, 0);
    const restarted = new FaultBook(1);
    restarted.fromStored(book.toStored());

    expect(restarted.decide('get', {}, 0).answer).toBeUndefined();
  });

  test('lets the first fault of the answer win and all faults of the machine apply', () => {
    const book = new FaultBook(1, [
      { on: 'create', do: { kind: 'never-ready' } },
      { on: 'create', count: 1, do: { kind: 'quota' } },
      { on: 'create', do: { kind: 'sold-out' } },
      { on: 'create', do: { kind: 'vanish', afterSeconds: 3 } },
    ]);

    expect(book.decide('create', {}, 0)).toEqual({
      answer: { kind: 'quota', limit: 0 },
      machine: [{ kind: 'never-ready' }, { kind: 'vanish', afterSeconds: 3 }],
      lagSeconds: 0,
    });
    expect(book.decide('create', {}, 0).answer).toMatchObject({ kind: 'sold-out' });
  });

  test('draws the same lots for a claim whatever others do meanwhile, and other lots for another seed', () => {
    const rules: FaultRules = [{ on: 'get', probability: 0.3, do: { kind: 'throttle' } }];
    const drawn = (seed: number, between: number) => {
      const book = new FaultBook(seed, rules);
      return Array.from({ length: 200 }, () => {
        for (let other = 0; other < between; other++) book.decide('get', { claimUid: `other-${other}` }, 0);
        return book.decide('get', { claimUid: 'mine' }, 0).answer === undefined ? '.' : 'X';
      }).join('');
    };

    expect(drawn(7, 0)).toBe(drawn(7, 3));
    expect(drawn(7, 0)).not.toBe(drawn(8, 0));
    const hits = drawn(7, 0).replaceAll('.', '').length;
    expect(hits).toBeGreaterThan(35);
    expect(hits).toBeLessThan(85);
  });

  test('refuses a rule that is no rule', () => {
    expect(() => new FaultBook(1, [{ on: 'get', probability: 2, do: { kind: 'throttle' } }])).toThrow();
  });
});
